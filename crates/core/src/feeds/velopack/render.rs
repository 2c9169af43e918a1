//! Renders a Velopack feed for a client.

use serde::Serialize;

use super::{VelopackAsset, VelopackAssetKind, VelopackFeed};
use crate::Version;
use crate::feeds::FeedRelease;
use crate::feeds::chain::delta_chain;
use crate::feeds::format::StoredFeed as _;

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct RenderedIndex<'a> {
    assets: Vec<RenderedAsset<'a>>,
}

/// Missing texts are omitted: the native client reads a missing one as empty, and fails on `null`.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct RenderedAsset<'a> {
    package_id: &'a str,
    version: &'a str,
    #[serde(rename = "Type")]
    kind: VelopackAssetKind,
    file_name: &'a str,
    #[serde(rename = "SHA1")]
    sha1: &'a str,
    #[serde(rename = "SHA256", skip_serializing_if = "Option::is_none")]
    sha256: Option<&'a str>,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    notes_markdown: Option<&'a str>,
    /// The spelling of the C# client.
    #[serde(rename = "NotesHTML", skip_serializing_if = "Option::is_none")]
    notes_html: Option<&'a str>,
    /// The spelling of the native client.
    #[serde(rename = "NotesHtml", skip_serializing_if = "Option::is_none")]
    notes_html_native: Option<&'a str>,
}

/// Renders the feed for a client with version `client` that is offered `target` from the scope's published
/// releases, newest first. Without a target there are no assets, which clients read as "no update".
///
/// Clients do not stage, so the caller has decided whether this one may have the target. Nothing
/// above the target is listed, and its deltas only if they lead from the client's version to it
/// without a gap. Only the target has notes, because clients show no others.
///
/// File names are plain, because clients store a package under this name. They request it below the
/// address of the feed.
pub(super) fn render_velopack<'a>(
    releases: &[FeedRelease<'a, VelopackFeed>],
    client: &Version,
    target: Option<&Version>,
) -> String {
    let target = target.and_then(|target| releases.iter().find(|release| release.version == target));
    let mut assets = Vec::new();
    if let Some(target) = target {
        let chain = delta_chain(releases, client, target.version, VelopackFeed::delta_from);
        assets.extend(asset(target, VelopackAssetKind::Full));
        let delta = |step: &FeedRelease<'a, VelopackFeed>| {
            let delta = asset(step, VelopackAssetKind::Delta)?;
            Some(if step.version == target.version { delta } else { delta.without_notes() })
        };
        assets.extend(chain.into_iter().filter_map(delta));
    }
    serde_json::to_string(&RenderedIndex { assets }).unwrap_or_default()
}

impl RenderedAsset<'_> {
    fn without_notes(self) -> Self {
        Self { notes_markdown: None, notes_html: None, notes_html_native: None, ..self }
    }
}

fn asset<'a>(release: &FeedRelease<'a, VelopackFeed>, kind: VelopackAssetKind) -> Option<RenderedAsset<'a>> {
    let asset = release.feed.asset(kind)?;
    let VelopackAsset { package_id, version, sha1, size, .. } = asset;
    Some(RenderedAsset {
        package_id,
        version,
        kind,
        file_name: &asset.file_name,
        sha1,
        sha256: asset.sha256.as_deref(),
        size: *size,
        notes_markdown: asset.notes_markdown.as_deref(),
        notes_html: asset.notes_html.as_deref(),
        notes_html_native: asset.notes_html.as_deref(),
    })
}
