//! The stored record that answers the clients of one updater in one scope.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CheckAnswer, FeedLinks, FeedRelease, NativeAnswer, NativeQuestion, Offer, ReleaseFeed, tauri};
use crate::{
    ArchName, Asker, BasisPoints, ChannelName, ClientFacts, Decision, FileLinks, FileName, ScopeRecord,
    ScopeRelease, Timestamp, Version, decide,
};

/// The feed of a release in one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedPart {
    /// The architecture. `None`: the application uses none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arch: Option<ArchName>,
    /// The name that the feed was uploaded under.
    pub feed_name: FileName,
    /// The feed. Every file that it names is in `links`.
    pub feed: ReleaseFeed,
    /// The URL of every file of the release, by name.
    pub links: BTreeMap<String, String>,
}

/// The stored record of one updater in one scope, with the releases that its clients can install:
/// those with a feed of the updater or, for updaters without feeds, those with the artifact that it
/// needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdaterRecord {
    /// The scope, reduced to these releases. An intermediate that the updater cannot install does
    /// not hold back clients.
    pub scope: ScopeRecord,
    /// The feeds of each release, in the order of the scope's releases: the scope's own architecture first,
    /// then the others. Empty for updaters without feeds.
    pub feeds: Vec<Vec<FeedPart>>,
    /// Names of `*.yml` feeds of dropped releases, which clients may still request. Sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feed_names: Vec<FileName>,
}

impl UpdaterRecord {
    /// Whether all devices get the same answer.
    pub fn is_same_for_all(&self, at: Timestamp) -> bool {
        self.scope.releases.iter().all(|release| release.rollout.is_full(at))
    }

    /// The record for Tauri's copies that were installed from `bundle`, without the releases that
    /// they cannot install. Copies that do not report it get all releases.
    #[must_use]
    pub fn installable_from(mut self, bundle: Option<&str>) -> Self {
        self.scope.releases.retain(|release| tauri::installs(release, bundle));
        self
    }

    /// Decides about a client with version `client` at a time.
    pub fn decide(
        &self,
        client: &Version,
        asker: Asker<'_>,
        facts: &ClientFacts,
        at: Timestamp,
    ) -> Decision<'_> {
        decide(&self.scope, client, asker, facts, at)
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

    /// The URL of a release's file.
    pub fn link(&self, version: &Version, file_name: &str) -> Option<&str> {
        self.own_part(version)?.links.get(file_name).map(String::as_str)
    }

    /// The URL of a file, from the newest release that has it.
    pub fn newest_link(&self, file_name: &str) -> Option<&str> {
        let mut parts = self.feeds.iter().filter_map(|parts| parts.first());
        parts.find_map(|part| part.links.get(file_name)).map(String::as_str)
    }

    /// Whether a feed was uploaded under the name.
    pub fn has_feed_name(&self, name: &str) -> bool {
        let mut of_parts = self.feeds.iter().flatten().map(|part| &part.feed_name);
        of_parts.any(|of_part| of_part.as_str() == name)
            || self.feed_names.iter().any(|of_dropped| of_dropped.as_str() == name)
    }

    /// Whether the feed that a client requests exists. In formats without significant names it
    /// always does. If clients request feeds by channel, the name must begin with the default
    /// channel or the scope's channel, or a feed must have been uploaded under it.
    pub fn has_feed(&self, question: &NativeQuestion<'_>) -> bool {
        let NativeQuestion { updater, file, scope, .. } = question;
        let Some(default) = updater.default_channel() else { return true };
        let of_channel = |channel: &str| file.starts_with(channel);
        of_channel(default)
            || scope.channel.as_ref().map(ChannelName::as_str).is_some_and(of_channel)
            || self.has_feed_name(file)
    }

    /// The answer to a client that requests its feed.
    pub fn answer(&self, question: &NativeQuestion<'_>) -> NativeAnswer {
        question.updater.answer(&self.offer(question), question)
    }

    /// The answer to a client's check.
    pub fn check_answer(&self, question: &NativeQuestion<'_>) -> CheckAnswer {
        question.updater.check_answer(&self.offer(question), question)
    }

    fn offer(&self, question: &NativeQuestion<'_>) -> Offer<'_, ReleaseFeed> {
        let at = question.at;
        let decision = self.decide(question.client, question.asker(), question.facts, at);
        let rollout = |release: &ScopeRelease| {
            let is_decided = decision.version() == Some(&release.version);
            if is_decided && decision.is_let_in {
                BasisPoints::ALL
            } else if is_decided || release.conditions.fit(question.facts) {
                release.rollout.offered(at)
            } else {
                BasisPoints::NONE
            }
        };
        let own = self.scope.releases.iter().zip(&self.feeds);
        let own = own.filter_map(|(release, parts)| Some(parts.first()?.of(release, rollout(release))));
        let archs = decision.release.map_or_else(Vec::new, |release| {
            self.parts(&release.version).iter().map(|part| part.of(release, rollout(release))).collect()
        });
        Offer { decision, releases: own.collect(), archs }
    }
}

impl FeedPart {
    /// `rollout`: which part of all devices like this one may have the release.
    fn of<'a>(&'a self, release: &'a ScopeRelease, rollout: BasisPoints) -> FeedRelease<'a, ReleaseFeed> {
        FeedRelease {
            version: &release.version,
            arch: self.arch.as_ref().map(ArchName::as_str),
            rollout,
            feed_name: self.feed_name.as_str(),
            feed: &self.feed,
            links: self,
        }
    }
}

/// Every file in a record's feed has a URL.
impl FeedLinks for FeedPart {
    fn link(&self, file_name: &str) -> String {
        self.links.get(file_name).cloned().unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feeds::testing::{facts, file, scope, scope_record, version};
    use crate::{BasisPoints, Conditions, NO_CLIENT_FACTS, Rollout, ScopeArtifact, Updater, private_link};

    /// A record with one private release of one file.
    fn record(feed: Option<(ReleaseFeed, &str)>) -> UpdaterRecord {
        let url = |name: &str| private_link("https://u.example", name);
        let artifact = ScopeArtifact {
            package: "zip".parse().unwrap(),
            url: url("a.zip"),
            signature: None,
            content: None,
            patches: Vec::new(),
        };
        let release = ScopeRelease {
            version: version("1.1.0"),
            intermediate: false,
            rollout: Rollout::fixed(BasisPoints::ALL, "s".into()),
            changelog: String::new(),
            released_at: Timestamp::from_millis(0),
            artifacts: if feed.is_some() { Vec::new() } else { vec![artifact] },
            conditions: Conditions::default(),
        };
        let scope = scope_record(vec![release], Vec::new());
        let part = |(feed, name): (ReleaseFeed, &str)| FeedPart {
            arch: None,
            feed_name: "uploaded.yml".parse().unwrap(),
            feed,
            links: BTreeMap::from([(name.to_owned(), url(name))]),
        };
        let feeds = feed.into_iter().map(|feed| vec![part(feed)]).collect();
        UpdaterRecord { scope, feeds, feed_names: Vec::new() }
    }

    /// The feed of 1.1.0 as its tool wrote it, with its only file.
    fn feed(updater: Updater) -> Option<(ReleaseFeed, &'static str)> {
        let (sha1, sha512) = ("94689fede03fed7ab59c24337673a27837f0c3ec", "ab".repeat(64));
        let (name, text) = match updater {
            Updater::SquirrelWindows => {
                let name = "App-1.1.0-full.nupkg";
                (name, format!("{sha1} {name} 100"))
            }
            Updater::ElectronBuilder => {
                let files = format!("files:\n  - url: App.exe\n    sha512: {sha512}\n    size: 100\n");
                let text = format!("version: 1.1.0\n{files}path: App.exe\nsha512: {sha512}\n");
                ("App.exe", text)
            }
            _ => return None,
        };
        let (release, files) = (version("1.1.0"), [file(name, 100)]);
        let feed = updater.read_feeds(&[text.as_bytes()], &facts(&release, &files)).unwrap();
        Some((feed.unwrap(), name))
    }

    #[test]
    fn names_that_feeds_are_asked_by() {
        use Updater::{ElectronBuilder, Sparkle};
        let (record, client) = (record(feed(ElectronBuilder)), version("1.0.0"));
        let mut beta = scope();
        beta.channel = Some("beta".parse().unwrap());
        for (updater, scope, file, expected) in [
            (ElectronBuilder, &scope(), "latest-mac.yml", true),
            (ElectronBuilder, &scope(), "beta.yml", false),
            (ElectronBuilder, &beta, "beta.yml", true),
            (ElectronBuilder, &beta, "alpha.yml", false),
            (ElectronBuilder, &beta, "uploaded.yml", true),
            (Sparkle, &beta, "appcast-alpha.xml", true),
        ] {
            let question = NativeQuestion {
                updater,
                file,
                scope,
                client: &client,
                device: None,
                bundle: None,
                facts: &NO_CLIENT_FACTS,
                at: Timestamp::default(),
            };
            assert_eq!(record.has_feed(&question), expected, "{file}");
        }
    }

    #[test]
    fn every_form_carries_a_token() {
        for updater in [Updater::SquirrelWindows, Updater::SquirrelDarwin] {
            let mut record = record(feed(updater));
            assert!(record.is_private());
            let (client, scope) = (version("1.0.0"), scope());
            let question = NativeQuestion {
                updater,
                file: "",
                scope: &scope,
                client: &client,
                device: None,
                bundle: None,
                facts: &NO_CLIENT_FACTS,
                at: Timestamp::default(),
            };
            let text = |record: &UpdaterRecord| match record.answer(&question) {
                NativeAnswer::Body { text, .. } => text,
                other => panic!("{updater}: {other:?}"),
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
