//! The receipt of a release: who will get it, who will not and why, and who falls behind.

mod foreign;
#[cfg(test)]
mod tests;

pub use foreign::foreign_system;

use std::mem::take;

use crate::check::explain::{
    Candidate, ExplainedClient, Explanation, FileAvailability, OfferReason, explain,
};
use crate::{CuredVersions, NO_FACTS, ReleaseState, ScopeRecord, ScopeRelease, Timestamp, Updater, Version};

/// A version below every release, for scopes without a release.
const LOWEST: &str = "0.0.0-0";

/// The clients of an updater in one scope, and a release that they may be offered.
#[derive(Debug, Clone)]
pub struct ReceiptAudience {
    /// The record of the scope and the updater.
    pub record: ScopeRecord,
    /// Their updater.
    pub updater: Updater,
    /// The newest version below the release that the updater could install in the scope. Clients
    /// are assumed to run it. `None`: there was no such version.
    pub before: Option<Version>,
    /// The release. In the state `published` it counts as published, even if the record lacks it.
    pub release: Candidate,
    /// Whether clients must not skip it.
    pub is_intermediate: bool,
}

/// The effect on clients of publishing the release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiptOutcome {
    /// All clients get it.
    Gets,
    /// Some clients get it: its rollout, its groups or its requirements exclude others.
    Some,
    /// The clients are offered a newer release.
    Newer,
    /// No client gets it now, because it is stopped or not signed.
    Held,
    /// The clients do not get it, and stay at an older version.
    Behind,
    /// There are no such clients, because nothing was ever published for them.
    None,
}

impl ReceiptOutcome {
    /// All outcomes.
    pub const ALL: [Self; 6] = [Self::Gets, Self::Some, Self::Newer, Self::Held, Self::Behind, Self::None];

    /// The name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gets => "gets",
            Self::Some => "some",
            Self::Newer => "newer",
            Self::Held => "held",
            Self::Behind => "behind",
            Self::None => "none",
        }
    }

    /// Whether any client gets the release.
    pub const fn is_served(self) -> bool {
        matches!(self, Self::Gets | Self::Some)
    }
}

/// A line of the receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptLine {
    /// The effect on the clients.
    pub outcome: ReceiptOutcome,
    /// The reason, for people.
    pub text: String,
}

impl ReceiptAudience {
    /// The line for these clients at a time.
    pub fn line(self, at: Timestamp) -> ReceiptLine {
        let Self { mut record, updater, before, mut release, is_intermediate } = self;
        // The line is about copies of other versions; those that the release cures get a sentence of their own.
        let cures = take(&mut release.conditions.cures);
        for other in record.releases.iter_mut().filter(|other| other.version == release.version) {
            other.conditions.cures = CuredVersions::default();
        }
        let is_for_all = release.rollout.basis_points(at).is_all();
        let record = with(record, &release, is_intermediate, at);
        let lowest = || LOWEST.parse().unwrap_or_else(|_| release.version.clone());
        let version = before.clone().unwrap_or_else(lowest);
        let client = ExplainedClient { version: &version, updater, device: None, facts: &NO_FACTS };
        let wanted = release.version.clone();
        let Explanation { decision, mut releases } = explain(&record, vec![release], &client, at);
        let reasons = releases.pop().map(|explained| explained.reasons).unwrap_or_default();
        let is_passed =
            decision.update_available && decision.version().is_some_and(|version| *version > wanted);
        let outcome = outcome(&reasons, is_passed, before.is_some());
        let text = text(outcome, &reasons, before.as_ref(), &record);
        let is_cure = outcome == ReceiptOutcome::Some && !is_for_all && !cures.is_empty();
        ReceiptLine { outcome, text: if is_cure { format!("{text} {}", cured(&cures)) } else { text } }
    }
}

/// The record with the release added, if clients can install it and the record lacks it.
fn with(mut record: ScopeRecord, release: &Candidate, intermediate: bool, at: Timestamp) -> ScopeRecord {
    let is_there = record.releases.iter().any(|other| other.version == release.version);
    if is_there || release.state != ReleaseState::Published || release.files != FileAvailability::Installable
    {
        return record;
    }
    let place = record.releases.partition_point(|other| other.version > release.version);
    let new = ScopeRelease {
        version: release.version.clone(),
        intermediate,
        rollout: release.rollout.rollout(at),
        changelog: String::new(),
        released_at: at,
        artifacts: Vec::new(),
        conditions: release.conditions.clone(),
    };
    record.releases.insert(place, new);
    record
}

/// `is_passed`: clients are offered a newer release. `has_clients`: clients may run an earlier
/// version.
fn outcome(reasons: &[OfferReason], is_passed: bool, has_clients: bool) -> ReceiptOutcome {
    let is_any = |test: fn(&OfferReason) -> bool| reasons.iter().any(test);
    if is_any(|reason| matches!(reason, OfferReason::Withdrawn)) {
        ReceiptOutcome::Held
    } else if is_any(|reason| matches!(reason, OfferReason::NoFile | OfferReason::NotInstallable { .. })) {
        match (is_passed, has_clients) {
            (true, _) => ReceiptOutcome::Newer,
            (false, true) => ReceiptOutcome::Behind,
            (false, false) => ReceiptOutcome::None,
        }
    } else if is_any(|reason| {
        matches!(
            reason,
            OfferReason::ShutOff
                | OfferReason::NotListed
                | OfferReason::Halted
                | OfferReason::Draft
                | OfferReason::Scheduled { .. }
        )
    }) {
        ReceiptOutcome::Held
    } else if is_any(|reason| matches!(reason, OfferReason::Surpassed { .. })) {
        ReceiptOutcome::Newer
    } else if is_any(|reason| {
        matches!(
            reason,
            OfferReason::Offered { share: Some(_) }
                | OfferReason::OutsideRollout { .. }
                | OfferReason::GroupOnly
                | OfferReason::Requires { .. }
        )
    }) {
        ReceiptOutcome::Some
    } else {
        ReceiptOutcome::Gets
    }
}

/// `Copies of 2.0 and 2.0.1 get it at once.`
fn cured(cures: &CuredVersions) -> String {
    let versions: Vec<&str> = cures.iter().map(Version::as_str).collect();
    let versions = match versions.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        versions => versions.concat(),
    };
    format!("Copies of {versions} get it at once.")
}

fn text(
    outcome: ReceiptOutcome,
    reasons: &[OfferReason],
    before: Option<&Version>,
    record: &ScopeRecord,
) -> String {
    let mut texts: Vec<String> = reasons.iter().map(OfferReason::text).collect();
    match (outcome, before) {
        (ReceiptOutcome::Gets, _) => texts.retain(|_| !matches!(reasons, [OfferReason::Offered { .. }])),
        (ReceiptOutcome::Behind, Some(before)) if record.stops.withdrawal_of(before).is_some() => {
            texts.push(format!("Its clients stay at {before}, which was withdrawn."));
        }
        (ReceiptOutcome::Behind, Some(before)) => texts.push(format!("Its clients stay at {before}.")),
        (ReceiptOutcome::None, _) => texts.push("No earlier release had one.".to_owned()),
        _ => {}
    }
    texts.join(" ")
}
