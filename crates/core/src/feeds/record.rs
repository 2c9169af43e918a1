//! All that answers the clients of one updater in one scope.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{FeedRelease, ReleaseFeed};
use crate::{ArchName, Asker, Decision, FileLinks, FileName, Package, ScopeRecord, Updater, Version, decide};

/// The feed of a release in one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedPart {
    /// The architecture; `None`: the application uses none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arch: Option<ArchName>,
    /// The name that the feed was uploaded under.
    pub feed_name: FileName,
    /// The feed; it names no file that is not in `links`.
    pub feed: ReleaseFeed,
    /// The address of every file of the release, by name.
    pub links: BTreeMap<String, String>,
}

/// The releases of a scope that clients of one updater can install: those with a feed of the updater, or, for updaters
/// without feeds, those with the artifact that it needs. The value kept in the key-value store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdaterRecord {
    /// The scope, with these releases alone. An intermediate that the updater cannot install holds nobody back.
    pub scope: ScopeRecord,
    /// For each of the scope's releases its feed: the scope's own architecture first, then the others. Empty for
    /// updaters without feeds.
    pub feeds: Vec<Vec<FeedPart>>,
    /// Further names of `*.yml` files that releases were uploaded with which the record does not hold any more: clients
    /// may ask for them all the same. Sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feed_names: Vec<FileName>,
}

impl UpdaterRecord {
    /// Whether an artifact is what the updater's clients download, for updaters without feeds.
    pub fn is_installable(updater: Updater, package: &Package, is_signed: bool) -> bool {
        match updater {
            Updater::SquirrelDarwin => package.as_str() == "zip",
            Updater::Tauri => is_signed,
            _ => true,
        }
    }

    /// The answer to a client that has `client`.
    pub fn decide(&self, client: &Version, asker: Asker<'_>) -> Decision<'_> {
        decide(&self.scope, client, asker)
    }

    /// The feed of the scope's own architecture.
    pub fn own_part(&self, version: &Version) -> Option<&FeedPart> {
        self.parts(version).first()
    }

    /// The feeds of a release in all architectures, the scope's own first.
    pub fn parts(&self, version: &Version) -> &[FeedPart] {
        let at = self.scope.releases.iter().position(|release| release.version == *version);
        at.and_then(|at| self.feeds.get(at)).map_or(&[], Vec::as_slice)
    }

    /// The address of a release's file.
    pub fn link(&self, version: &Version, file_name: &str) -> Option<&str> {
        self.own_part(version)?.links.get(file_name).map(String::as_str)
    }

    /// Whether a feed was uploaded under the name.
    pub fn has_feed_name(&self, name: &str) -> bool {
        let mut of_parts = self.feeds.iter().flatten().map(|part| &part.feed_name);
        of_parts.any(|of_part| of_part.as_str() == name)
            || self.feed_names.iter().any(|of_dropped| of_dropped.as_str() == name)
    }

    /// Runs `render` on the releases with their feeds of one kind, newest first.
    pub(super) fn with_feeds<F, T>(
        &self,
        of_kind: impl Fn(&ReleaseFeed) -> Option<&F>,
        render: impl FnOnce(&[FeedRelease<'_, F>]) -> T,
    ) -> T {
        let own = self.scope.releases.iter().zip(&self.feeds);
        let own: Vec<_> = own.filter_map(|(release, parts)| Some((release, parts.first()?))).collect();
        let links: Vec<_> = own.iter().map(|(_, part)| link_of(part)).collect();
        let feeds = own.iter().zip(&links).filter_map(|((release, part), link)| {
            let feed = of_kind(&part.feed)?;
            Some(FeedRelease { version: &release.version, rollout: release.rollout.percent, feed, link })
        });
        render(&feeds.collect::<Vec<_>>())
    }
}

impl FileLinks for UpdaterRecord {
    fn first_link(&self) -> Option<&str> {
        let of_feeds = || self.feeds.iter().flatten().find_map(|part| part.links.values().next());
        self.scope.first_link().or_else(|| of_feeds().map(String::as_str))
    }

    fn links_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let of_feeds = self.feeds.iter_mut().flatten().flat_map(|part| part.links.values_mut());
        self.scope.links_mut().chain(of_feeds)
    }
}

/// Addresses of a part's files. A record keeps no feed that names a file without one.
pub(super) fn link_of(part: &FeedPart) -> impl Fn(&str) -> String {
    |name| part.links.get(name).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::testing::{facts, file, version};
    use crate::feeds::{Feed, NativeAnswer, NativeFormat, NativeQuestion, check, parse};
    use crate::{
        FeedKind, Id, PlatformUpdaters, Rollout, ScopeArtifact, ScopeRelease, Timestamp, private_link,
    };

    /// A record with one private release, which has one file.
    fn record(feed: Option<(ReleaseFeed, &str)>) -> UpdaterRecord {
        let url = |name: &str| private_link("https://u.example", name);
        let artifact = ScopeArtifact { package: "zip".parse().unwrap(), url: url("a.zip"), signature: None };
        let release = ScopeRelease {
            version: version("1.1.0"),
            intermediate: false,
            rollout: Rollout { percent: 100, seed: "s".into() },
            changelog: String::new(),
            released_at: Timestamp::from_millis(0),
            artifacts: if feed.is_some() { Vec::new() } else { vec![artifact] },
        };
        let scope = ScopeRecord {
            app_id: Id::from_text("app"),
            cdn: false,
            derived_at: Timestamp::from_millis(0),
            read_at: Timestamp::from_millis(0),
            revision: 1,
            link_settings: 0,
            updaters: PlatformUpdaters::default(),
            releases: vec![release],
            critical: Vec::new(),
        };
        let part = |(feed, name): (ReleaseFeed, &str)| FeedPart {
            arch: None,
            feed_name: "latest.yml".parse().unwrap(),
            feed,
            links: BTreeMap::from([(name.to_owned(), url(name))]),
        };
        let feeds = feed.into_iter().map(|feed| vec![part(feed)]).collect();
        UpdaterRecord { scope, feeds, feed_names: Vec::new() }
    }

    /// The feed of 1.1.0 as its tool wrote it, with its only file.
    fn feed(updater: Updater) -> Option<(ReleaseFeed, &'static str)> {
        let (sha1, sha512) = ("94689fede03fed7ab59c24337673a27837f0c3ec", "ab".repeat(64));
        let (kind, name, text) = match updater {
            Updater::SquirrelWindows => {
                let name = "App-1.1.0-full.nupkg";
                (FeedKind::SquirrelReleases, name, format!("{sha1} {name} 100"))
            }
            Updater::ElectronBuilder => {
                let files = format!("files:\n  - url: App.exe\n    sha512: {sha512}\n    size: 100\n");
                let text = format!("version: 1.1.0\n{files}path: App.exe\nsha512: {sha512}\n");
                (FeedKind::ElectronYml, "App.exe", text)
            }
            _ => return None,
        };
        let (release, files) = (version("1.1.0"), [file(name, 100)]);
        let parsed: Feed = parse(kind, text.as_bytes()).unwrap();
        Some((check(updater, &[parsed], &facts(&release, &files)).unwrap().unwrap(), name))
    }

    #[test]
    fn every_form_carries_a_token() {
        for format in
            [NativeFormat::Releases, NativeFormat::Yml { all_archs: false }, NativeFormat::SquirrelMac]
        {
            let mut record = record(feed(format.updater()));
            assert!(record.is_private());
            let client = version("1.0.0");
            let question =
                NativeQuestion { format, client: &client, device: None, bundle: None, title: "App" };
            let text = |record: &UpdaterRecord| match record.answer(&question) {
                NativeAnswer::Body { text, .. } => text,
                other => panic!("{format:?}: {other:?}"),
            };
            let bare = text(&record);
            assert!(bare.contains("/download?key=") && !bare.contains("sdd_"), "{bare}");
            record.carry_token("sdd_1");
            let links = |text: &str, link: &str| text.matches(link).count();
            let carried = text(&record);
            assert_eq!(links(&carried, "&download_token=sdd_1"), links(&bare, "/download?key="), "{carried}");
        }
    }
}
