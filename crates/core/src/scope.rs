//! What an update check asks about, and all that is needed to answer it.

mod path;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    AppName, ArchName, ChannelName, FileLinks, Id, Package, PlatformName, PlatformUpdaters, Rollout,
    Timestamp, UserName, Version,
};

pub use path::{DIMENSIONS_PARAMETER, ScopePath, dimension_or_default};

/// (owner, app, channel, platform, architecture). `None`: the dimension is not used.
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

/// An artifact as a client sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeArtifact {
    /// The package.
    pub package: Package,
    /// Where it is downloaded.
    pub url: String,
    /// The signature given at upload.
    #[serde(default)]
    pub signature: Option<String>,
}

/// A published release as a client of one scope sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeRelease {
    /// Its version.
    pub version: Version,
    /// Whether clients must not step over it.
    pub intermediate: bool,
    /// How far it is rolled out.
    pub rollout: Rollout,
    /// Release notes; empty when there are none.
    #[serde(default)]
    pub changelog: String,
    /// When it was first recorded.
    pub released_at: Timestamp,
    /// Its artifacts in the scope, ordered by package.
    pub artifacts: Vec<ScopeArtifact>,
}

/// All that answers any version of one scope: what is kept in the key-value store, in a format without names of fields, so
/// that none may be left out when it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeRecord {
    /// The application.
    pub app_id: Id,
    /// Whether its answers are published to the CDN bucket.
    pub cdn: bool,
    /// When the record was derived from the database, or last compared with it.
    pub derived_at: Timestamp,
    /// When the releases were read from the database; the epoch in records of an origin that does not say so.
    #[serde(default)]
    pub read_at: Timestamp,
    /// The owner's revision it was derived at.
    pub revision: i64,
    /// A digest of the settings that its addresses were made with; 0 in records of an origin that has no such digest.
    #[serde(default)]
    pub link_settings: u64,
    /// The updaters of the scope's platform.
    pub updaters: PlatformUpdaters,
    /// The releases that can be an answer, newest first. See [`keep_answers`].
    pub releases: Vec<ScopeRelease>,
    /// Versions of critical releases, oldest first. See [`keep_critical`].
    pub critical: Vec<Version>,
}

/// When a record was made, and of what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordStamp {
    /// The application.
    pub app_id: Id,
    /// When the record was derived from the database, or last compared with it.
    pub derived_at: Timestamp,
    /// When what it holds was read from the database.
    pub read_at: Timestamp,
    /// The owner's revision it was derived at.
    pub revision: i64,
    /// A digest of the settings that its addresses were made with.
    pub link_settings: u64,
}

impl RecordStamp {
    /// Whether what a record holds is what would be read `now`, the stamp of one that is about to be made. Whatever changes
    /// an owner's data raises the owner's revision. After `max_age_seconds` it is read in any case.
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
        self.releases.iter_mut().flat_map(|release| &mut release.artifacts).map(|artifact| &mut artifact.url)
    }
}

impl ScopeRecord {
    /// When it was made, and of what.
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

/// Of a scope's published releases (newest first) those that a check can answer with, however long an application's
/// history is: the releases down to the newest fully rolled out one, every intermediate, and below an intermediate that
/// is not fully rolled out again the releases down to the next fully rolled out one: where a device that may not have the
/// intermediate is held.
pub(crate) fn are_answers(releases: &[ScopeRelease]) -> impl Iterator<Item = bool> {
    let mut needs_full = true;
    releases.iter().map(move |release| {
        let is_answer = needs_full || release.intermediate;
        if is_answer {
            needs_full = !release.rollout.is_full();
        }
        is_answer
    })
}

/// Drops, of a scope's published releases (newest first), those that no check can ever answer with.
pub fn keep_answers(mut releases: Vec<ScopeRelease>) -> Vec<ScopeRelease> {
    let are_answers: Vec<_> = are_answers(&releases).collect();
    let mut is_answer = are_answers.into_iter();
    releases.retain(|_| is_answer.next().unwrap_or_default());
    releases
}

/// Of the versions of all critical releases, those that say for every one of `releases` whether a client passes a critical
/// one on the way to it: the newest that is not newer than the release.
pub fn keep_critical(mut critical: Vec<Version>, releases: &[ScopeRelease]) -> Vec<Version> {
    critical.sort();
    let newest_up_to = |version: &Version| critical.partition_point(|other| other <= version).checked_sub(1);
    let kept: BTreeSet<usize> =
        releases.iter().filter_map(|release| newest_up_to(&release.version)).collect();
    let mut index = 0..;
    critical.retain(|_| index.next().is_some_and(|index| kept.contains(&index)));
    critical
}
