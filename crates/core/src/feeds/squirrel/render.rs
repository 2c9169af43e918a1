//! Renders `RELEASES` for a client.

use std::fmt::Write as _;

use super::{PackageKind, SquirrelFeed, SquirrelPackage};
use crate::Version;
use crate::feeds::FeedRelease;
use crate::feeds::chain::delta_chain;
use crate::feeds::format::StoredFeed as _;
use crate::feeds::text::wire_url;

/// The side that decides whether a client may have a partly rolled out release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Staging {
    /// The service has decided for the device: no line is staged.
    Decided,
    /// The client decides for itself: the feed contains the percentage.
    ByClient,
}

struct RenderedLine<'a> {
    version: &'a Version,
    package: &'a SquirrelPackage,
    url: String,
    staging: Option<u8>,
}

/// Renders `RELEASES` for a client with version `client` that is offered `target` from the scope's
/// published releases, newest first. Nothing above `target` is listed, so an intermediate cannot be
/// skipped.
///
/// - The full package of the target is always listed, even if the client has that version: clients treat an
///   empty list as an error.
/// - Its deltas are listed if they lead from the client's version to it without a gap. A client applies all
///   deltas newer than itself in order, without checking that they fit, so it gets all of them or none.
/// - If the client decides about the target, the newest fully rolled out full package below it is listed too,
///   for clients left out. Deltas above that package are staged like the target. If there is no such release,
///   the newest one that the client has already reached is listed, which is not an update. Without that, the
///   target stands alone, and clients left out see an error rather than a release that they may not have.
///
/// `None`: nothing can be listed. Lines end with LF, because clients ignore the staging of a line
/// that ends with CRLF. There is no space before the `#`, because clients before 1.4.0 fail on one.
pub(super) fn render_releases(
    releases: &[FeedRelease<'_, SquirrelFeed>],
    client: &Version,
    target: &Version,
    staging: Staging,
) -> Option<String> {
    let is_update = client < target;
    // A record may have only the delta of the client's own release. Any older release also
    // expresses that there is no update.
    let is_whole =
        |release: &FeedRelease<'_, SquirrelFeed>| release.feed.package(PackageKind::Full).is_some();
    let target = releases.iter().find(|release| {
        if is_update { release.version == target } else { release.version <= target && is_whole(release) }
    })?;
    let is_staged = staging == Staging::ByClient && is_update && !target.rollout.is_all();
    // Clients parse whole percentages only.
    let percent = is_staged.then_some(target.rollout.percent());
    let beside = percent.and_then(|_| beside(releases, client, target.version));

    let mut lines = Vec::new();
    if percent != Some(0) {
        let chain = delta_chain(releases, client, target.version, SquirrelFeed::delta_from);
        let unstaged_up_to = beside.filter(|b| chain.iter().any(|step| step.version == b.version));
        for step in chain {
            let is_unstaged = unstaged_up_to.is_some_and(|b| step.version <= b.version);
            lines.extend(line(step, PackageKind::Delta, percent.filter(|_| !is_unstaged)));
        }
        lines.push(line(target, PackageKind::Full, percent)?);
    }
    lines.extend(beside.and_then(|release| line(release, PackageKind::Full, None)));
    if lines.is_empty() {
        return None;
    }
    lines.sort_by(|a, b| a.version.cmp(b.version));
    Some(lines.iter().fold(String::new(), |mut text, line| {
        let SquirrelPackage { sha1, size, .. } = line.package;
        let _ = write!(text, "{sha1} {} {size}", line.url);
        if let Some(percent) = line.staging {
            let _ = write!(text, "# {percent}%");
        }
        text.push('\n');
        text
    }))
}

fn beside<'r, 'a>(
    releases: &'r [FeedRelease<'a, SquirrelFeed>],
    client: &Version,
    target: &Version,
) -> Option<&'r FeedRelease<'a, SquirrelFeed>> {
    let below =
        || releases.iter().filter(|r| r.version < target && r.feed.package(PackageKind::Full).is_some());
    below().find(|r| r.rollout.is_all()).or_else(|| below().find(|r| r.version <= client))
}

fn line<'a>(
    release: &FeedRelease<'a, SquirrelFeed>,
    kind: PackageKind,
    staging: Option<u8>,
) -> Option<RenderedLine<'a>> {
    let package = release.feed.package(kind)?;
    let url = wire_url(&release.links.link(&package.file_name));
    Some(RenderedLine { version: release.version, package, url, staging })
}
