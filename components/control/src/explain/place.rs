//! The place of a client: the releases that its answer is made from, and the others of its application.

use std::collections::BTreeSet;

use spindrift_core::explain::{Candidate, Client, Files, MAX_EXPLAINED};
use spindrift_core::{
    AppName, Dimensions, Id, ScopeRecord, ScopeRelease, Stops, Timestamp, Updater, Version, decide,
    keep_answers, keep_critical,
};
use spindrift_db::dimensions::{self, Kind};
use spindrift_db::offered::PublishedArtifacts;
use spindrift_db::scopes::{self, PublishedArtifact};
use spindrift_db::search::{self, FoundArtifact, FoundRelease, Part, ReleaseFilter};
use spindrift_db::{SqlConn, SqlError, channel_includes, shutoffs};
use spindrift_service::ServiceError;
use spindrift_service::records::{Meant, meant, updaters};

use super::asked::Asked;

/// A channel, platform and architecture of an application, for clients of an updater.
pub(super) struct Place {
    pub(super) updater: Updater,
    /// The releases that an answer can have, without files and notes.
    pub(super) record: ScopeRecord,
    names: Dimensions,
    /// Channels that the client's channel includes.
    included: BTreeSet<String>,
    /// All releases that the updater can install here.
    installable: Vec<(Id, Version)>,
}

impl Place {
    pub(super) fn load(
        conn: &impl SqlConn,
        owner: &Id,
        asked: &Asked,
        now: Timestamp,
    ) -> Result<Self, ServiceError> {
        let Meant { app_id, target, names, updaters: of_platform, revision, has_stops, .. } =
            meant(conn, &asked.scope, now)?;
        // At a later time, other releases may be published.
        let at = asked.at;
        let updater = of_platform.resolve(asked.updater.as_deref())?;
        let published = scopes::published(conn, &app_id, &target, PublishedArtifacts::Offered, at)?;
        let installable = updaters::installable(conn, &app_id, &target, updater, &published, at)?;
        let critical = published.iter().filter(|a| a.critical).map(|a| a.version.clone()).collect();
        let releases = releases(published, &installable, at);
        let installable =
            releases.iter().map(|(id, release)| (id.clone(), release.version.clone())).collect();
        let releases = keep_answers(releases.into_iter().map(|(_, release)| release).collect(), at);
        let stops = if has_stops { shutoffs::of_scope(conn, &app_id, &target)? } else { Stops::default() };
        let record = ScopeRecord {
            app_id,
            cdn: false,
            derived_at: now,
            read_at: now,
            revision,
            link_settings: 0,
            stands_for: None,
            updaters: of_platform,
            critical: keep_critical(critical, &releases),
            releases,
            stops: Stops::default(),
            valid_until: None,
        };
        let record = record.stopped(stops);
        let included = match &target.channel_id {
            Some(channel) => included(conn, owner, channel)?,
            None => BTreeSet::new(),
        };
        Ok(Self { updater, record, names, included, installable })
    }

    /// The newest releases of the application, and the one on offer if it is none of them, newest first.
    pub(super) fn candidates(
        &self,
        conn: &impl SqlConn,
        owner: &Id,
        app: &AppName,
        client: &Client<'_>,
        at: Timestamp,
    ) -> Result<Vec<Candidate>, SqlError> {
        let page = |id: Option<Id>| {
            let filter = ReleaseFilter { id, app: Some(app.clone()), at, ..ReleaseFilter::default() };
            let part = Part { limit: MAX_EXPLAINED, skip: 0, has_notes: false };
            search::page(conn, owner, &filter, part)
        };
        let mut found = page(None)?;
        let older = self.offered(client, at).filter(|id| found.iter().all(|release| release.id != **id));
        if let Some(id) = older {
            found.truncate(MAX_EXPLAINED as usize - 1);
            found.extend(page(Some(id.clone()))?);
        }
        let ids: Vec<Id> = found.iter().map(|release| release.id.clone()).collect();
        let artifacts = search::artifacts(conn, &ids)?;
        Ok(found.into_iter().map(|release| self.candidate(release, &artifacts)).collect())
    }

    /// The id of the release on offer.
    fn offered(&self, client: &Client<'_>, at: Timestamp) -> Option<&Id> {
        let decision = decide(&self.record, client.version, self.updater.asker(client.device), at);
        let version = decision.version().filter(|_| decision.update_available)?;
        self.installable.iter().find(|(_, other)| other == version).map(|(id, _)| id)
    }

    fn candidate(&self, release: FoundRelease, artifacts: &[FoundArtifact]) -> Candidate {
        let is_in_channel = release.channel == self.names.channel
            || release.channel.as_ref().is_some_and(|name| self.included.contains(name.as_str()));
        let is_seen = release.flags.published && is_in_channel;
        let files = self.files(&release.id, artifacts, is_seen);
        let FoundRelease { version, channel, rollout, state, publish_at, .. } = release;
        Candidate { version, channel, is_in_channel, state, publish_at, rollout, files }
    }

    /// The files of a release here. `is_seen`: clients of the channel see the release.
    fn files(&self, release: &Id, artifacts: &[FoundArtifact], is_seen: bool) -> Files {
        let Dimensions { platform, arch, .. } = &self.names;
        let is_here = |artifact: &&FoundArtifact| {
            artifact.release_id == *release && artifact.platform == *platform && artifact.arch == *arch
        };
        let here: Vec<_> = artifacts.iter().filter(is_here).collect();
        let mut offered = here.iter().filter(|artifact| artifact.is_offered).peekable();
        if here.is_empty() {
            Files::None
        } else if offered.peek().is_none() {
            Files::NotListed
        } else if self.installable.iter().any(|(id, _)| id == release)
            || (!is_seen && offered.any(|artifact| is_for(self.updater, artifact)))
        {
            Files::Installable
        } else {
            Files::NotInstallable
        }
    }
}

/// Whether an updater could install the artifact, if clients saw its release. One with feeds installs what was published
/// with its feed.
fn is_for(updater: Updater, artifact: &FoundArtifact) -> bool {
    if updater.keeps_file_names() {
        artifact.updater == updater
    } else {
        updater.is_installable(&artifact.package, artifact.has_signature)
    }
}

/// The installable ones of the releases of these artifacts, which are in the order of their releases.
fn releases(
    published: Vec<PublishedArtifact>,
    installable: &BTreeSet<Id>,
    now: Timestamp,
) -> Vec<(Id, ScopeRelease)> {
    let mut releases: Vec<(Id, ScopeRelease)> = Vec::new();
    for artifact in published.into_iter().filter(|artifact| installable.contains(&artifact.release_id)) {
        if releases.last().is_some_and(|(id, _)| *id == artifact.release_id) {
            continue;
        }
        let release = ScopeRelease {
            version: artifact.version,
            intermediate: artifact.intermediate,
            rollout: artifact.rollout.rollout(now),
            changelog: String::new(),
            released_at: artifact.released_at,
            artifacts: Vec::new(),
        };
        releases.push((artifact.release_id, release));
    }
    releases
}

/// The names of the channels that a channel includes.
fn included(conn: &impl SqlConn, owner: &Id, channel: &Id) -> Result<BTreeSet<String>, SqlError> {
    let Some(included) = channel_includes::of_owner(conn, owner)?.remove(channel) else {
        return Ok(BTreeSet::new());
    };
    let channels = dimensions::of_owner(conn, Kind::Channel, owner)?.into_iter();
    Ok(channels.filter(|entry| included.contains(&entry.id)).map(|entry| entry.name).collect())
}
