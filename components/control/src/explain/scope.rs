//! The place of a client: the releases that its answer is made from, and the others of its application.

use std::collections::BTreeSet;

use spindrift_core::explain::{Candidate, ExplainedClient, FileAvailability, MAX_EXPLAINED};
use spindrift_core::{AppName, ChannelName, Course, Id, ReleaseState, Scope, Timestamp, Updater, decide};
use spindrift_db::dimensions::{self, Kind};
use spindrift_db::search::{self, FoundArtifact, FoundPromotion, FoundRelease, ReleaseFilter, SearchPage};
use spindrift_db::{SqlConn, SqlError, channel_includes};
use spindrift_service::records::explanation::{self, ExplanationData};
use spindrift_service::requests::Session;
use spindrift_service::{Ports, ServiceError};

use super::request::ExplainRequest;

/// A channel, platform and architecture of an application, for clients of an updater.
pub(super) struct ExplainedScope {
    pub(super) data: ExplanationData,
    /// Channels that the client's channel includes.
    included: BTreeSet<String>,
}

impl ExplainedScope {
    pub(super) fn load(
        session: &Session<'_, impl Ports>,
        question: &ExplainRequest,
    ) -> Result<Self, ServiceError> {
        // At a later time, other releases may be published.
        let (ports, conn) = (session.ports, &session.conn);
        let data = explanation::load(ports, conn, &question.scope, question.updater.as_deref(), question.at)?;
        let included = match &data.target.channel_id {
            Some(channel) => included(conn, session.owner_id(), channel)?,
            None => BTreeSet::new(),
        };
        Ok(Self { data, included })
    }

    /// The newest releases of the application and, if it is not among them, the offered one, newest
    /// first.
    pub(super) fn candidates(
        &self,
        session: &Session<'_, impl Ports>,
        app: &AppName,
        client: &ExplainedClient<'_>,
        at: Timestamp,
    ) -> Result<Vec<Candidate>, SqlError> {
        let (conn, owner) = (&session.conn, session.owner_id());
        let page = |id: Option<Id>| {
            let filter = ReleaseFilter { id, app: Some(app.clone()), at, ..ReleaseFilter::default() };
            let part = SearchPage { limit: MAX_EXPLAINED, skip: 0, has_notes: false };
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
        let promotions = search::promotions(conn, &ids, at)?;
        let here = |release: FoundRelease| self.offered_here(release, &promotions, at);
        Ok(found.into_iter().map(here).map(|release| self.candidate(release, &artifacts)).collect())
    }

    /// The id of the release on offer.
    fn offered(&self, client: &ExplainedClient<'_>, at: Timestamp) -> Option<&Id> {
        let asker = self.data.updater.asker(client.device);
        let decision = decide(&self.data.record, client.version, asker, client.facts, at);
        let version = decision.version().filter(|_| decision.update_available)?;
        self.data.installable.iter().find(|(_, other, _)| other == version).map(|(id, ..)| id)
    }

    /// Whether clients here see the releases of a channel.
    fn has(&self, channel: Option<&ChannelName>) -> bool {
        channel == self.data.scope.channel.as_ref()
            || channel.is_some_and(|name| self.included.contains(name.as_str()))
    }

    /// The release as offered by the channel that admits most of the clients here. If no channel
    /// does, its own.
    fn offered_here(
        &self,
        release: FoundRelease,
        promotions: &[FoundPromotion],
        at: Timestamp,
    ) -> FoundRelease {
        let rank = |channel: Option<&ChannelName>, state: ReleaseState, rollout: &Course| {
            (self.has(channel), state == ReleaseState::Published, rollout.rollout(at).offered(at))
        };
        let own = rank(release.channel.as_ref(), release.state, &release.rollout);
        let others = promotions.iter().filter(|promotion| promotion.release_id == release.id);
        let ranked = others.map(|other| (rank(Some(&other.channel), other.state, &other.rollout), other));
        match ranked.max_by_key(|(rank, _)| *rank).filter(|(rank, _)| *rank > own && rank.0) {
            Some((_, promotion)) => release.with_promotion(promotion),
            None => release,
        }
    }

    fn candidate(&self, release: FoundRelease, artifacts: &[FoundArtifact]) -> Candidate {
        let is_in_channel = self.has(release.channel.as_ref());
        let is_seen = release.flags.published && is_in_channel;
        let files = self.files(&release.id, artifacts, is_seen);
        // Conditions of other releases do not matter, because no client here can get them.
        let conditions = self.data.installable.iter().find(|(id, ..)| *id == release.id);
        let conditions = conditions.map(|(.., conditions)| conditions.clone()).unwrap_or_default();
        let FoundRelease { version, channel, rollout, state, publish_at, held_until, .. } = release;
        Candidate {
            version,
            channel,
            is_in_channel,
            state,
            publish_at,
            held_until,
            rollout,
            files,
            conditions,
        }
    }

    /// The files of a release here. `is_seen`: clients of the channel see the release.
    fn files(&self, release: &Id, artifacts: &[FoundArtifact], is_seen: bool) -> FileAvailability {
        let Scope { platform, arch, .. } = &self.data.scope;
        let is_here = |artifact: &&FoundArtifact| {
            artifact.release_id == *release && artifact.platform == *platform && artifact.arch == *arch
        };
        let here: Vec<_> = artifacts.iter().filter(is_here).collect();
        let mut offered = here.iter().filter(|artifact| artifact.is_offered).peekable();
        if here.is_empty() {
            FileAvailability::None
        } else if offered.peek().is_none() {
            FileAvailability::NotListed
        } else if self.data.installable.iter().any(|(id, ..)| id == release)
            || (!is_seen && offered.any(|artifact| is_for(self.data.updater, artifact)))
        {
            FileAvailability::Installable
        } else {
            FileAvailability::NotInstallable
        }
    }
}

/// Whether an updater could install the artifact, if clients saw its release. Updaters with feeds
/// install what was published with their feed.
fn is_for(updater: Updater, artifact: &FoundArtifact) -> bool {
    if updater.keeps_file_names() {
        artifact.updater == updater
    } else {
        updater.is_installable(&artifact.package, artifact.has_signature)
    }
}

/// The names of the channels that a channel includes.
fn included(conn: &impl SqlConn, owner: &Id, channel: &Id) -> Result<BTreeSet<String>, SqlError> {
    let Some(included) = channel_includes::of_owner(conn, owner)?.remove(channel) else {
        return Ok(BTreeSet::new());
    };
    let channels = dimensions::of_owner(conn, Kind::Channel, owner)?.into_iter();
    Ok(channels.filter(|entry| included.contains(&entry.id)).map(|entry| entry.name).collect())
}
