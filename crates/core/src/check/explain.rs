//! Explains what a client gets: the decision of [`decide`], and the reasons for it, release by
//! release.

mod for_device;
mod reason;

pub use for_device::{DeviceAnswer, DeviceExplanation, explain_to_device};
pub use reason::{OfferReason, Share};

use crate::check::choose::Admission;
use crate::{
    ChannelName, ClientFacts, Conditions, Course, Decision, Hold, ReleaseState, ScopeRecord, Timestamp,
    Updater, Version, decide, position,
};

/// Maximum number of releases in an explanation: the page size of the search.
pub const MAX_EXPLAINED: u32 = 100;

/// A client that checks for an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainedClient<'a> {
    /// The version that it has.
    pub version: &'a Version,
    /// The updater that it uses.
    pub updater: Updater,
    /// Its device id, if it sends one.
    pub device: Option<&'a str>,
    /// Further facts that it reports about itself.
    pub facts: &'a ClientFacts,
}

/// A release of the client's application, as seen in the client's scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its version.
    pub version: Version,
    /// Its channel. `None`: the owner used no channels when it was published.
    pub channel: Option<ChannelName>,
    /// Whether this is the client's channel, or one that the client's channel includes.
    pub is_in_channel: bool,
    /// Whether clients can see it at the time of the explanation.
    pub state: ReleaseState,
    /// When it is published automatically, if that is later.
    pub publish_at: Option<Timestamp>,
    /// Until when freezes hold its publication or its next step.
    pub held_until: Option<Timestamp>,
    /// How it is rolled out.
    pub rollout: Course,
    /// Its files for the client's platform and architecture.
    pub files: FileAvailability,
    /// Its conditions in the scope.
    pub conditions: Conditions,
}

/// The files of a release in a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAvailability {
    /// No files.
    None,
    /// None of the files is listed in signed metadata.
    NotListed,
    /// The client's updater can install none of the files.
    NotInstallable,
    /// At least one file can be installed.
    Installable,
}

/// The answer to a client, and the reasons for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation<'a> {
    /// The decision.
    pub decision: Decision<'a>,
    /// The releases, in the given order.
    pub releases: Vec<ReleaseExplanation>,
}

/// Why a client is offered a release, or is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseExplanation {
    /// Its version.
    pub version: Version,
    /// Its channel.
    pub channel: Option<ChannelName>,
    /// Whether the client is offered this release.
    pub is_offered: bool,
    /// At least one reason. Each reason for not offering a release is sufficient alone.
    pub reasons: Vec<OfferReason>,
}

/// Explains the answer from `record` to a client at a time. `candidates`: the releases to explain,
/// newest first. The record contains the candidates that clients of the scope and the updater can
/// get, unless they were dropped because no client can be answered with them.
pub fn explain<'a>(
    record: &'a ScopeRecord,
    candidates: Vec<Candidate>,
    client: &ExplainedClient<'_>,
    at: Timestamp,
) -> Explanation<'a> {
    let decision = decide(record, client.version, client.updater.asker(client.device), client.facts, at);
    let admission =
        Admission::of(record, client.version, client.updater.asker(client.device), client.facts, at);
    let situation = Situation { record, decision, client, admission, at };
    let explained = |candidate: Candidate| {
        let reasons = situation.reasons(&candidate);
        let is_offered = reasons.first().is_some_and(OfferReason::is_offer);
        ReleaseExplanation { version: candidate.version, channel: candidate.channel, is_offered, reasons }
    };
    Explanation { decision, releases: candidates.into_iter().map(explained).collect() }
}

/// Everything that decides about a release besides the release itself.
struct Situation<'s, 'a> {
    record: &'a ScopeRecord,
    decision: Decision<'a>,
    client: &'s ExplainedClient<'s>,
    admission: Admission<'s>,
    at: Timestamp,
}

impl Situation<'_, '_> {
    fn reasons(&self, candidate: &Candidate) -> Vec<OfferReason> {
        let mut reasons = self.unavailable(candidate);
        if candidate.version <= *self.client.version {
            reasons.push(OfferReason::NotNewer { is_same: candidate.version == *self.client.version });
        }
        if self.record.stops.shut_off && candidate.version > *self.client.version {
            reasons.push(OfferReason::ShutOff);
        }
        if !reasons.is_empty() {
            return reasons;
        }
        if self.offered() == Some(&candidate.version) {
            return vec![self.offer_reason(candidate)];
        }
        reasons.extend(self.exclusion_reason(candidate));
        reasons.extend(self.replacement_reason(candidate));
        reasons
    }

    /// Why no client of this scope and updater can have it.
    fn unavailable(&self, candidate: &Candidate) -> Vec<OfferReason> {
        let unseen = match (candidate.state, candidate.publish_at) {
            (ReleaseState::Published, _) => None,
            (ReleaseState::Withdrawn, _) => Some(OfferReason::Withdrawn),
            (ReleaseState::Scheduled, Some(at)) => {
                Some(OfferReason::Scheduled { at, held_until: candidate.held_until })
            }
            (ReleaseState::Scheduled | ReleaseState::Draft, _) => Some(OfferReason::Draft),
        };
        let elsewhere = (!candidate.is_in_channel)
            .then(|| OfferReason::OtherChannel { channel: candidate.channel.clone() });
        let files = match candidate.files {
            FileAvailability::None => Some(OfferReason::NoFile),
            FileAvailability::NotListed => Some(OfferReason::NotListed),
            FileAvailability::NotInstallable => {
                Some(OfferReason::NotInstallable { updater: self.client.updater })
            }
            FileAvailability::Installable => None,
        };
        [unseen, elsewhere, files].into_iter().flatten().collect()
    }

    fn offered(&self) -> Option<&Version> {
        self.decision.version().filter(|_| self.decision.update_available)
    }

    /// Why the client is offered it.
    fn offer_reason(&self, candidate: &Candidate) -> OfferReason {
        match self.share(candidate) {
            Some(_) if candidate.conditions.cures.has(self.client.version) => {
                OfferReason::Cures { version: self.client.version.clone() }
            }
            share => OfferReason::Offered { share },
        }
    }

    /// How far it is rolled out, unless that is to everybody.
    fn share(&self, candidate: &Candidate) -> Option<Share> {
        let basis_points = candidate.rollout.basis_points(self.at);
        let position = self.client.device.map(|device| position(device, &candidate.rollout.seed));
        (!basis_points.is_all()).then_some(Share { basis_points, position })
    }

    /// Why its rollout or its conditions exclude the client.
    fn exclusion_reason(&self, candidate: &Candidate) -> Option<OfferReason> {
        let rollout = candidate.rollout.rollout(self.at);
        let conditions = &candidate.conditions;
        if self.admission.admits(&rollout, conditions) {
            return None;
        }
        if rollout.is_halted {
            return Some(OfferReason::Halted);
        }
        if let Some(requires) =
            conditions.requires.clone().filter(|_| !conditions.are_met_by(self.client.facts))
        {
            return Some(OfferReason::Requires { requires });
        }
        let next = rollout.later.iter().copied();
        let next = next.into_iter().find(|step| self.admission.at(step.at).admits(&rollout, conditions));
        if next.is_none() && self.admission.is_for_groups(&rollout, conditions) {
            return Some(OfferReason::GroupOnly);
        }
        let share = self.share(candidate)?;
        let is_paused = candidate.rollout.hold == Hold::Paused;
        Some(OfferReason::OutsideRollout { share, is_paused, next, held_until: candidate.held_until })
    }

    /// The other release that the client gets instead.
    fn replacement_reason(&self, candidate: &Candidate) -> Option<OfferReason> {
        let mut oldest_first = self.record.releases.iter().rev();
        let first =
            oldest_first.find(|release| release.intermediate && release.version > *self.client.version);
        if let Some(first) = first.filter(|first| first.version < candidate.version) {
            return Some(OfferReason::HeldBelow { by: first.version.clone() });
        }
        let by = self.offered().filter(|offered| **offered > candidate.version)?.clone();
        let fallback = self.decision.fallback.map(|fallback| &fallback.release.version);
        Some(OfferReason::Surpassed { by, is_fallback: fallback == Some(&candidate.version) })
    }
}

#[cfg(test)]
mod tests;
