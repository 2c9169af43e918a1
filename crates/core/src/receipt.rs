//! The receipt of a release: who will get it, who will not and why, and who falls behind.

mod foreign;
#[cfg(test)]
mod tests;

pub use foreign::foreign_system;

use crate::explain::{Because, Candidate, Client, Explanation, Files, explain};
use crate::{NO_CLIENT_FACTS, ReleaseState, ScopeRecord, ScopeRelease, Timestamp, Updater, Version};

/// A version below every release, for scopes without a release.
const LOWEST: &str = "0.0.0-0";

/// The clients of an updater in one scope, and a release that they may be offered.
#[derive(Debug, Clone)]
pub struct Audience {
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
pub enum Outcome {
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

impl Outcome {
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
pub struct Line {
    /// The effect on the clients.
    pub outcome: Outcome,
    /// The reason, for people.
    pub text: String,
}

impl Audience {
    /// The line for these clients at a time.
    pub fn line(self, at: Timestamp) -> Line {
        let Self { record, updater, before, release, is_intermediate } = self;
        let record = with(record, &release, is_intermediate, at);
        let lowest = || LOWEST.parse().unwrap_or_else(|_| release.version.clone());
        let version = before.clone().unwrap_or_else(lowest);
        let client = Client { version: &version, updater, device: None, facts: &NO_CLIENT_FACTS };
        let wanted = release.version.clone();
        let Explanation { decision, mut releases } = explain(&record, vec![release], &client, at);
        let because = releases.pop().map(|explained| explained.because).unwrap_or_default();
        let is_passed =
            decision.update_available && decision.version().is_some_and(|version| *version > wanted);
        let outcome = outcome(&because, is_passed, before.is_some());
        Line { outcome, text: text(outcome, &because, before.as_ref(), &record) }
    }
}

/// The record with the release added, if clients can install it and the record lacks it.
fn with(mut record: ScopeRecord, release: &Candidate, intermediate: bool, at: Timestamp) -> ScopeRecord {
    let is_there = record.releases.iter().any(|other| other.version == release.version);
    if is_there || release.state != ReleaseState::Published || release.files != Files::Installable {
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
fn outcome(because: &[Because], is_passed: bool, has_clients: bool) -> Outcome {
    let is_any = |test: fn(&Because) -> bool| because.iter().any(test);
    if is_any(|reason| matches!(reason, Because::Withdrawn)) {
        Outcome::Held
    } else if is_any(|reason| matches!(reason, Because::NoFile | Because::NotInstallable { .. })) {
        match (is_passed, has_clients) {
            (true, _) => Outcome::Newer,
            (false, true) => Outcome::Behind,
            (false, false) => Outcome::None,
        }
    } else if is_any(|reason| {
        matches!(
            reason,
            Because::ShutOff
                | Because::NotListed
                | Because::Halted
                | Because::Draft
                | Because::Scheduled { .. }
        )
    }) {
        Outcome::Held
    } else if is_any(|reason| matches!(reason, Because::Surpassed { .. })) {
        Outcome::Newer
    } else if is_any(|reason| {
        matches!(
            reason,
            Because::Offered { share: Some(_) }
                | Because::OutsideRollout { .. }
                | Because::GroupOnly
                | Because::Requires { .. }
        )
    }) {
        Outcome::Some
    } else {
        Outcome::Gets
    }
}

fn text(outcome: Outcome, because: &[Because], before: Option<&Version>, record: &ScopeRecord) -> String {
    let mut texts: Vec<String> = because.iter().map(Because::text).collect();
    match (outcome, before) {
        (Outcome::Gets, _) => texts.retain(|_| !matches!(because, [Because::Offered { .. }])),
        (Outcome::Behind, Some(before)) if record.stops.withdrawal_of(before).is_some() => {
            texts.push(format!("Its clients stay at {before}, which was withdrawn."));
        }
        (Outcome::Behind, Some(before)) => texts.push(format!("Its clients stay at {before}.")),
        (Outcome::None, _) => texts.push("No earlier release had one.".to_owned()),
        _ => {}
    }
    texts.join(" ")
}
