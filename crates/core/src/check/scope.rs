//! The scope of an update check, and the stored record that answers it.

mod dimension;
mod known_names;
mod owner_revisions;
mod path;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    AppName, ArchName, ChannelName, Conditions, FileLinks, GroupSet, Id, Package, PlatformName,
    PlatformUpdaters, RecordGroup, Rollout, Sha256Hex, Stops, Timestamp, UserName, Version,
};

/// How many seconds before a scheduled publication an edge may learn of it: twice as long as an
/// edge keeps using a record.
const ANNOUNCED_SECONDS: i64 = 120;

pub use dimension::{Dimension, DimensionChoices, DimensionKind};
pub use known_names::{KnownNames, NameKind};
pub use owner_revisions::OwnerRevisions;
pub use path::{DIMENSIONS_PARAMETER, ScopePath, dimension_or_default};

/// (owner, app, channel, platform, architecture). `None`: the dimension is not used or, in a
/// request, not given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// The owner: the user name of an admin.
    pub owner: UserName,
    /// The application.
    pub app: AppName,
    /// The release channel.
    pub channel: Option<ChannelName>,
    /// The platform.
    pub platform: Option<PlatformName>,
    /// The architecture.
    pub arch: Option<ArchName>,
}

/// Channel, platform and architecture of a scope. `None`: the dimension is not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dimensions {
    /// The release channel.
    pub channel: Option<ChannelName>,
    /// The platform.
    pub platform: Option<PlatformName>,
    /// The architecture.
    pub arch: Option<ArchName>,
}

/// An artifact as a client sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeArtifact {
    /// The package.
    pub package: Package,
    /// Its download URL.
    pub url: String,
    /// The signature given at upload.
    pub signature: Option<String>,
    /// Its bytes. `None`: the digest is unknown.
    pub content: Option<FileContent>,
    /// The patches that produce it, newest base version first; at most
    /// [`MAX_PATCHES_OF_FILE`](crate::MAX_PATCHES_OF_FILE).
    pub patches: Vec<ScopePatch>,
}

impl ScopeArtifact {
    /// The patch for a client of this version, with the file that it makes. `None`: there is none, or nobody
    /// could verify the file.
    pub fn patch_from(&self, client: &Version) -> Option<(&ScopePatch, &FileContent)> {
        let patch = self.patches.iter().find(|patch| patch.base_version == *client)?;
        Some((patch, self.content.as_ref()?))
    }
}

/// Facts about the bytes of a file that a client can verify.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileContent {
    /// Length in bytes.
    pub length: u64,
    /// Their digest.
    pub sha256: Sha256Hex,
}

/// A patch as a client sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopePatch {
    /// The version of the clients that have its base.
    pub base_version: Version,
    /// The digest of its base.
    pub base_sha256: Sha256Hex,
    /// The name of its [`PatchFormat`](crate::PatchFormat). It is text, because an edge also passes
    /// on formats of later versions.
    pub format: String,
    /// Its download URL.
    pub url: String,
    /// Its length in bytes.
    pub length: u64,
    /// Its own digest, if known.
    pub sha256: Option<Sha256Hex>,
}

/// A published release as a client of one scope sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeRelease {
    /// Its version.
    pub version: Version,
    /// Whether clients must not skip it.
    pub intermediate: bool,
    /// How far it is rolled out.
    pub rollout: Rollout,
    /// Release notes; empty when there are none.
    pub changelog: String,
    /// When it was first recorded.
    pub released_at: Timestamp,
    /// Its artifacts in the scope, sorted by package.
    pub artifacts: Vec<ScopeArtifact>,
    /// Which clients may have it, in addition to the rollout.
    pub conditions: Conditions,
}

impl ScopeRelease {
    /// The release, if another channel of the scope offers it too: each offer admits clients. A
    /// halted one admits none.
    #[must_use]
    pub fn merge_offer(self, rollout: Rollout, admitted_groups: GroupSet) -> Self {
        let admitted_groups = match (self.rollout.is_halted, rollout.is_halted) {
            (true, false) => admitted_groups,
            (false, true) => self.conditions.admitted_groups,
            _ => self.conditions.admitted_groups | admitted_groups,
        };
        let conditions = Conditions { admitted_groups, ..self.conditions };
        Self { rollout: self.rollout.or(rollout), conditions, ..self }
    }
}

/// The stored record that answers checks from any version of one scope. The key-value format has no
/// field names, so serialisation must not omit any field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeRecord {
    /// The application.
    pub app_id: Id,
    /// Whether its answers are published to the CDN bucket.
    pub cdn: bool,
    /// When the record was derived from the database, or last compared with it.
    pub derived_at: Timestamp,
    /// When the releases were read from the database.
    pub read_at: Timestamp,
    /// The owner's revision it was derived at. Every change of the owner's data raises the revision.
    pub revision: i64,
    /// A digest of the settings that shaped its URLs.
    pub link_settings: u64,
    /// The names that the scope stands for, if it omits one or uses `default`. `None`: its own
    /// names.
    pub stands_for: Option<Dimensions>,
    /// The updaters of the scope's platform.
    pub updaters: PlatformUpdaters,
    /// The releases that a check can answer with, newest first. See [`keep_answers`].
    pub releases: Vec<ScopeRelease>,
    /// Versions of critical releases, oldest first. See [`keep_critical`].
    pub critical: Vec<Version>,
    /// The stops that affect the scope.
    pub stops: Stops,
    /// When the record's releases change without any action, because one is published on schedule.
    pub valid_until: Option<Timestamp>,
    /// The groups that the releases admit.
    pub groups: Vec<RecordGroup>,
}

/// The time and the data that a record was derived from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordStamp {
    /// The application.
    pub app_id: Id,
    /// When the record was derived from the database, or last compared with it.
    pub derived_at: Timestamp,
    /// When its content was read from the database.
    pub read_at: Timestamp,
    /// The owner's revision it was derived at.
    pub revision: i64,
    /// A digest of the settings that shaped its URLs.
    pub link_settings: u64,
}

impl RecordStamp {
    /// Whether the record still equals a new one with the stamp `now`. Every change of an owner's
    /// data increases the owner's revision. A record older than `max_age_seconds` is never current.
    pub fn still_holds(&self, now: &Self, max_age_seconds: i64) -> bool {
        self.read_at.is_within(now.derived_at, max_age_seconds)
            && (&self.app_id, self.revision, self.link_settings)
                == (&now.app_id, now.revision, now.link_settings)
    }
}

impl FileLinks for ScopeRecord {
    fn first_link(&self) -> Option<&str> {
        self.releases
            .iter()
            .flat_map(|release| &release.artifacts)
            .map(|artifact| artifact.url.as_str())
            .next()
    }

    fn links_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.releases.iter_mut().flat_map(|release| &mut release.artifacts).flat_map(|artifact| {
            std::iter::once(&mut artifact.url).chain(artifact.patches.iter_mut().map(|patch| &mut patch.url))
        })
    }
}

impl ScopeRecord {
    /// The time that answers are for: the present, but never before the record was made, because it
    /// omits releases that were no longer possible answers then.
    pub fn answer_time(&self, now: Timestamp) -> Timestamp {
        now.max(self.derived_at).max(self.read_at)
    }

    /// When answers change automatically after a time: a step of a rollout begins, or a release is
    /// published.
    pub fn next_change(&self, after: Timestamp) -> Option<Timestamp> {
        let steps = self.releases.iter().filter_map(|release| release.rollout.next_change(after));
        steps.chain(self.valid_until.filter(|until| *until > after)).min()
    }

    /// The record with the stops of its scope. While updates are shut off, all its releases are
    /// halted: feeds, and the lifetime of cached answers, depend only on rollouts.
    #[must_use]
    pub fn with_stops(mut self, stops: Stops) -> Self {
        if stops.shut_off {
            for release in &mut self.releases {
                release.rollout.is_halted = true;
            }
        }
        Self { stops, ..self }
    }

    /// The record for readers outside the service. It reveals the time of a scheduled publication
    /// only shortly before, so that schedules stay secret.
    #[must_use]
    pub fn for_edges(mut self, now: Timestamp) -> Self {
        self.valid_until = self.valid_until.filter(|until| *until <= now.plus_seconds(ANNOUNCED_SECONDS));
        self
    }

    /// The scope that `requested` stands for, in which the releases are. This is the record of `requested`.
    pub fn resolved_scope(&self, requested: &Scope) -> Scope {
        let Some(Dimensions { channel, platform, arch }) = self.stands_for.clone() else {
            return requested.clone();
        };
        Scope { owner: requested.owner.clone(), app: requested.app.clone(), channel, platform, arch }
    }

    /// The scope in which a device that made this request is counted: with the names that the
    /// device sent.
    pub fn counted_scope(&self, requested: Scope) -> Scope {
        let Some(names) = &self.stands_for else { return requested };
        Scope {
            channel: requested.channel.filter(|name| names.channel.as_ref() == Some(name)),
            platform: requested.platform.filter(|name| names.platform.as_ref() == Some(name)),
            arch: requested.arch.filter(|name| names.arch.as_ref() == Some(name)),
            ..requested
        }
    }

    /// The time and the data that the record was derived from.
    pub fn stamp(&self) -> RecordStamp {
        RecordStamp {
            app_id: self.app_id.clone(),
            derived_at: self.derived_at,
            read_at: self.read_at,
            revision: self.revision,
            link_settings: self.link_settings,
        }
    }
}

/// Marks which of a scope's published releases (newest first) can be the answer to a check, so that
/// records stay small however long the history is. These are the releases down to the newest fully
/// rolled out one, and every intermediate. Below an intermediate that is not fully rolled out, they
/// also include the releases down to the next fully rolled out one, where a device waits that may
/// not have the intermediate. Without intervention a rollout only grows, so they suffice at every
/// time from `at` on.
///
/// A fully rolled out release with requirements only replaces releases with at least the same
/// requirements: systems that it excludes get an older one.
pub fn are_answers(releases: &[ScopeRelease], at: Timestamp) -> impl Iterator<Item = bool> {
    let mut enough: Vec<&Conditions> = Vec::new();
    releases.iter().map(move |release| {
        let is_passed = enough.iter().any(|newer| newer.is_no_stricter_than(&release.conditions));
        let is_answer = release.intermediate || !is_passed;
        if release.intermediate {
            enough.clear();
        }
        if is_answer && release.rollout.is_full(at) {
            enough.push(&release.conditions);
        }
        is_answer
    })
}

/// Drops those of a scope's published releases (newest first) that cannot be the answer to any
/// check from `at` on.
pub fn keep_answers(mut releases: Vec<ScopeRelease>, at: Timestamp) -> Vec<ScopeRelease> {
    let are_answers: Vec<_> = are_answers(&releases, at).collect();
    let mut is_answer = are_answers.into_iter();
    releases.retain(|_| is_answer.next().unwrap_or_default());
    releases
}

/// Reduces the versions of all critical releases to those needed for `releases`: for each release,
/// the newest critical version that is not newer than it. This is enough to tell whether a client
/// skips a critical release on the way.
pub fn keep_critical(mut critical: Vec<Version>, releases: &[ScopeRelease]) -> Vec<Version> {
    critical.sort();
    let newest_up_to = |version: &Version| critical.partition_point(|other| other <= version).checked_sub(1);
    let kept: BTreeSet<usize> =
        releases.iter().filter_map(|release| newest_up_to(&release.version)).collect();
    let mut index = 0..;
    critical.retain(|_| index.next().is_some_and(|index| kept.contains(&index)));
    critical
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::feeds::testing::release;

    /// An edge may be older than its origin.
    #[test]
    fn a_patch_in_a_format_of_a_later_version_is_passed_on() {
        let mut json = serde_json::to_value(release("2.0", &[("deb", None)])).unwrap();
        let digest = "ab".repeat(32);
        json["artifacts"][0]["patches"] = json!([{
            "base_version": "1.0", "base_sha256": digest, "format": "later", "url": "u", "length": 1,
            "sha256": digest,
        }]);
        let read: ScopeRelease = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), json);
    }
}
