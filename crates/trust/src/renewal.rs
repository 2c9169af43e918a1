//! When the service has to sign again.

use spindrift_core::Timestamp;

use crate::lifetime::Lifetime;
use crate::{Expires, RoleName, TargetsSigner};

/// Seconds after a failed refresh until the next attempt.
const RETRY_SECONDS: i64 = 60;

/// When the current metadata expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expirations {
    pub root: Expires,
    pub targets: Expires,
    pub snapshot: Expires,
    pub timestamp: Expires,
}

/// The lifetimes of what the service signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceLifetimes {
    /// For targets, where the service signs them.
    pub targets: Lifetime,
    pub snapshot: Lifetime,
    pub timestamp: Lifetime,
}

/// How much of its metadata the service signs again, due or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Renewal {
    /// Only what new lists require.
    Nothing,
    /// The timestamp.
    Timestamp,
    /// Snapshot and timestamp.
    Snapshot,
    /// Everything that the service signs: targets too, if it signs them.
    Targets,
}

/// The highest role that is past half its lifetime; it is signed again together with the rest of the chain
/// down to timestamp. Fails if a role that is signed offline has expired: clients would accept nothing until
/// its signers renew it.
pub fn due_renewal(
    current: &Expirations,
    signer: TargetsSigner,
    lifetimes: &ServiceLifetimes,
    now: Timestamp,
) -> Result<Renewal, RoleName> {
    let is_due = |expires: Expires, lifetime: Lifetime| expires.seconds_left(now) < lifetime.seconds() / 2;
    let signs_targets = signer == TargetsSigner::Service;
    if current.root.is_expired(now) {
        Err(RoleName::Root)
    } else if !signs_targets && current.targets.is_expired(now) {
        Err(RoleName::Targets)
    } else if signs_targets && is_due(current.targets, lifetimes.targets) {
        Ok(Renewal::Targets)
    } else if is_due(current.snapshot, lifetimes.snapshot) {
        Ok(Renewal::Snapshot)
    } else if is_due(current.timestamp, lifetimes.timestamp) {
        Ok(Renewal::Timestamp)
    } else {
        Ok(Renewal::Nothing)
    }
}

/// When [`due_renewal`] will first find something to sign. `None` if root or the publisher's targets will
/// have expired by then.
pub fn due_at(
    current: &Expirations,
    signer: TargetsSigner,
    lifetimes: &ServiceLifetimes,
) -> Option<Timestamp> {
    let due = |expires: Expires, lifetime: Lifetime| expires.time().plus_seconds(1 - lifetime.seconds() / 2);
    let online = due(current.snapshot, lifetimes.snapshot).min(due(current.timestamp, lifetimes.timestamp));
    let (first, offline) = match signer {
        TargetsSigner::Service => (online.min(due(current.targets, lifetimes.targets)), current.root),
        TargetsSigner::Publisher => (online, current.root.min(current.targets)),
    };
    (!offline.is_expired(first)).then_some(first)
}

/// Whether a refresh may be tried after one that failed at `failed_at`.
pub const fn may_retry(failed_at: Timestamp, now: Timestamp) -> bool {
    !failed_at.is_within(now, RETRY_SECONDS - 1)
}

/// A refresh that failed at or after this time is not retried yet at `now`.
pub const fn waits_for_failures_since(now: Timestamp) -> Timestamp {
    now.plus_seconds(1 - RETRY_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);
    const LIFETIMES: ServiceLifetimes = ServiceLifetimes {
        targets: crate::lifetime::TARGETS.default,
        snapshot: crate::lifetime::SNAPSHOT.default,
        timestamp: crate::lifetime::TIMESTAMP.default,
    };

    fn current(seconds_left: [i64; 4]) -> Expirations {
        let [root, targets, snapshot, timestamp] = seconds_left.map(|left| {
            let text = NOW.plus_seconds(left).to_rfc3339().replace("+00:00", "Z");
            text.parse().unwrap()
        });
        Expirations { root, targets, snapshot, timestamp }
    }

    #[test]
    fn past_half() {
        use TargetsSigner::{Publisher, Service};
        const DAY: i64 = 86_400;
        let (root, targets, snapshot, timestamp) = (DAY, 365 * DAY / 2, 15 * DAY, 7 * DAY / 2);
        for (signer, left, expected) in [
            (Publisher, [root, targets, snapshot, timestamp], Ok(Renewal::Nothing)),
            (Publisher, [1, 1, snapshot, timestamp], Ok(Renewal::Nothing)),
            (Publisher, [root, targets, snapshot, timestamp - 1], Ok(Renewal::Timestamp)),
            (Publisher, [root, targets, snapshot, -DAY], Ok(Renewal::Timestamp)),
            (Publisher, [root, targets, snapshot - 1, timestamp], Ok(Renewal::Snapshot)),
            (Publisher, [root, targets - 1, snapshot - 1, timestamp - 1], Ok(Renewal::Snapshot)),
            (Service, [root, targets, snapshot, timestamp], Ok(Renewal::Nothing)),
            (Service, [root, targets - 1, snapshot, timestamp], Ok(Renewal::Targets)),
            (Service, [root, -1, snapshot, timestamp], Ok(Renewal::Targets)),
            (Publisher, [root, 0, -1, -1], Err(RoleName::Targets)),
            (Publisher, [0, targets, -1, -1], Err(RoleName::Root)),
            (Service, [0, -1, -1, -1], Err(RoleName::Root)),
        ] {
            assert_eq!(due_renewal(&current(left), signer, &LIFETIMES, NOW), expected, "{signer:?} {left:?}");
        }
    }

    #[test]
    fn the_first_moment_that_something_is_due() {
        use TargetsSigner::{Publisher, Service};
        const DAY: i64 = 86_400;
        let far = 400 * DAY;
        for (signer, left, expected) in [
            (Publisher, [far, far, 30 * DAY, 7 * DAY], Some(7 * DAY / 2 + 1)),
            (Publisher, [far, far, 16 * DAY, 7 * DAY], Some(DAY + 1)),
            (Publisher, [far, far, 30 * DAY, 3 * DAY], Some(1 - DAY / 2)),
            (Publisher, [far, 3 * DAY, 30 * DAY, 7 * DAY], None),
            (Publisher, [3 * DAY, far, 30 * DAY, 7 * DAY], None),
            (Service, [far, 183 * DAY, 30 * DAY, 7 * DAY], Some(DAY / 2 + 1)),
            (Service, [far, 3 * DAY, 30 * DAY, 7 * DAY], Some(3 * DAY - 365 * DAY / 2 + 1)),
            (Service, [3 * DAY, far, 30 * DAY, 7 * DAY], None),
        ] {
            let due = due_at(&current(left), signer, &LIFETIMES);
            assert_eq!(due, expected.map(|seconds| NOW.plus_seconds(seconds)), "{signer:?} {left:?}");
            if let Some(due) = due {
                let is_due =
                    |now| due_renewal(&current(left), signer, &LIFETIMES, now) != Ok(Renewal::Nothing);
                assert!(is_due(due) && !is_due(due.plus_seconds(-1)), "{signer:?} {left:?}");
            }
        }
    }

    #[test]
    fn a_failed_refresh_waits() {
        assert!(!may_retry(NOW, NOW));
        assert!(!may_retry(NOW, NOW.plus_seconds(59)));
        assert!(may_retry(NOW, NOW.plus_seconds(60)));
        // The clock was set back.
        assert!(may_retry(NOW, NOW.plus_seconds(-1)));
        let since = waits_for_failures_since(NOW);
        assert!(!may_retry(since, NOW) && may_retry(since.plus_seconds(-1), NOW));
    }
}
