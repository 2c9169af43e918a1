//! Chooses the release for an update check.
//!
//! An intermediate release is never skipped, and no rollout is exceeded. So a device outside an
//! intermediate's rollout stays below it: it gets the newest release below the intermediate whose
//! rollout includes the device, even if a newer release is for everybody. An intermediate that is
//! halted, or has a rollout of 0, therefore holds back all older devices. Only clients that run a
//! version which a release cures do not wait for its rollout.

mod admission;
mod asker;

pub(crate) use admission::Admission;
pub use asker::Asker;

use crate::{ClientFacts, ScopeRecord, ScopeRelease, Timestamp, Version};

/// The decision about a client's update. Without a `release`, this client may have none.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one answer")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision<'a> {
    /// The offered release. If there is no update, it is the client's own release, or else the
    /// newest.
    pub release: Option<&'a ScopeRelease>,
    /// Whether `release` is newer than the client's version.
    pub update_available: bool,
    /// Whether this release is critical, or a published one between it and the client's version.
    pub critical: bool,
    /// Whether the client's version is newer than the newest published one.
    pub possible_rollback: bool,
    /// The newest fully rolled out update, for a client that decides for itself and finds that
    /// `release` is not for it.
    pub fallback: Option<Fallback<'a>>,
    /// Why the client's version was withdrawn, if it was.
    pub withdrawn: Option<&'a str>,
    /// Whether updates are shut off, so that `release` is the newest one up to the client's
    /// version.
    pub shut_off: bool,
    /// Whether the client may have `release` regardless of its rollout: because of a group,
    /// because the release cures its version, or because the user asked.
    pub skips_rollout: bool,
    /// The newest release that does not run on the client's system, if it is newer than every
    /// release that the client may have.
    pub unmet: Option<&'a ScopeRelease>,
    /// For a client without a device id: which further facts could change the answer.
    pub varies_with: VariesWith,
}

/// Facts that could change the answer if the client reported them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VariesWith {
    /// Its groups.
    pub group: bool,
    /// The version of its operating system.
    pub os_version: bool,
}

/// A fully rolled out release that is newer than the client's version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fallback<'a> {
    /// The release.
    pub release: &'a ScopeRelease,
    /// Like [`Decision::critical`], for this release.
    pub critical: bool,
}

/// The answer from `record` to a client with version `client` at a time. `facts`: further facts that
/// the client reports about itself. Nothing else affects the decision, so a step of a rollout
/// begins on time even if no process runs.
pub fn decide<'a>(
    record: &'a ScopeRecord,
    client: &Version,
    asker: Asker<'_>,
    facts: &ClientFacts,
    at: Timestamp,
) -> Decision<'a> {
    let withdrawn = record.stops.withdrawal_of(client);
    if record.stops.shut_off {
        return shut_off(record, client, withdrawn);
    }
    let admission = Admission::of(record, client, asker, facts, at);
    let admits = |release: &ScopeRelease| admission.admits(&release.rollout, &release.conditions);
    let (release, update_available) = pick(&record.releases, client, admits);
    let update = release.filter(|_| update_available);
    let skips_rollout =
        update.is_some_and(|release| admission.skips_rollout(&release.rollout, &release.conditions));
    let fallback = match (asker, update) {
        (Asker::Anonymous, Some(offered)) if !skips_rollout && !offered.rollout.is_full(at) => {
            fully_rolled_out(record, client, &admission)
        }
        _ => None,
    };
    Decision {
        release,
        update_available,
        critical: update_available
            && (withdrawn.is_some() || release.is_some_and(|r| is_critical(record, client, &r.version))),
        possible_rollback: record.releases.first().is_some_and(|newest| newest.version < *client),
        fallback,
        withdrawn,
        shut_off: false,
        skips_rollout,
        unmet: unmet(record, client, &admission),
        varies_with: varies_with(record, client, asker, at),
    }
}

/// The newest release that does not run on the client's system. `None`: the client may have a newer
/// one, even if it must install an intermediate first.
fn unmet<'a>(
    record: &'a ScopeRecord,
    client: &Version,
    admission: &Admission<'_>,
) -> Option<&'a ScopeRelease> {
    let newer = || record.releases.iter().take_while(|release| release.version > *client);
    // Check this first, because most records have no such release, and computing a device's
    // position takes a hash.
    let unfit = newer().find(|release| !release.conditions.are_met_by(admission.facts()))?;
    let mut above = newer().take_while(|release| release.version > unfit.version);
    let has_better = above.any(|release| admission.admits(&release.rollout, &release.conditions));
    (!has_better).then_some(unfit)
}

fn varies_with(record: &ScopeRecord, client: &Version, asker: Asker<'_>, at: Timestamp) -> VariesWith {
    if matches!(asker, Asker::Device(_)) {
        return VariesWith::default();
    }
    let newer = || record.releases.iter().take_while(|release| release.version > *client);
    VariesWith {
        group: newer()
            .any(|release| !release.conditions.admitted_groups.is_empty() && !release.rollout.is_full(at)),
        os_version: newer().any(|release| release.conditions.requires.is_some()),
    }
}

/// Decides as if no release above the client's own version existed.
fn shut_off<'a>(record: &'a ScopeRecord, client: &Version, withdrawn: Option<&'a str>) -> Decision<'a> {
    Decision {
        release: record.releases.iter().find(|release| release.version <= *client),
        update_available: false,
        critical: false,
        possible_rollback: false,
        fallback: None,
        withdrawn,
        shut_off: true,
        skips_rollout: false,
        unmet: None,
        varies_with: VariesWith::default(),
    }
}

fn fully_rolled_out<'a>(
    record: &'a ScopeRecord,
    client: &Version,
    admission: &Admission<'_>,
) -> Option<Fallback<'a>> {
    let surely_admits =
        |release: &ScopeRelease| admission.surely_admits(&release.rollout, &release.conditions);
    match pick(&record.releases, client, surely_admits) {
        (Some(release), true) => {
            let is_recalled = record.stops.withdrawal_of(client).is_some();
            Some(Fallback { release, critical: is_recalled || is_critical(record, client, &release.version) })
        }
        _ => None,
    }
}

fn is_critical(record: &ScopeRecord, client: &Version, target: &Version) -> bool {
    record.critical.iter().any(|version| client < version && version <= target)
}

/// The release for a client, and whether it is an update. `releases` are newest first.
///
/// An intermediate between the client and its target is never skipped: the client is offered that
/// intermediate. A device that may not have it yet is offered the newest release below it.
fn pick<'a>(
    releases: &'a [ScopeRelease],
    client: &Version,
    may_have: impl Fn(&ScopeRelease) -> bool,
) -> (Option<&'a ScopeRelease>, bool) {
    let Some(newest) = releases.iter().find(|release| may_have(release)) else {
        return (None, false);
    };
    let floor =
        releases.iter().rev().find(|r| r.intermediate && *client < r.version && r.version <= newest.version);
    let target = match floor {
        None => Some(newest),
        Some(floor) if may_have(floor) => Some(floor),
        Some(floor) => releases.iter().find(|r| r.version < floor.version && may_have(r)),
    };
    match target {
        Some(release) if *client < release.version => (Some(release), true),
        _ => (releases.iter().find(|r| r.version == *client).or(target), false),
    }
}

#[cfg(test)]
mod tests;
