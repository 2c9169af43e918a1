//! Conditions that need a person's attention.

use crate::Timestamp;

const DAY_SECONDS: i64 = 24 * 60 * 60;
/// How many seconds late maintenance is overdue: an hour. It should run every few minutes.
const OVERDUE_SECONDS: i64 = 60 * 60;
/// How many seconds before signed metadata expires somebody should be warned.
const EXPIRING_SECONDS: i64 = 7 * DAY_SECONDS;
/// How many seconds devices have to come back for a new release before they count as missing.
const GRACE_SECONDS: i64 = DAY_SECONDS;

/// After how many days without any device an application's devices count as missing.
pub const UNSEEN_DAYS: i64 = 7;

/// Whether maintenance that has been due since `due_since` is overdue.
pub const fn is_maintenance_overdue(due_since: Timestamp, now: Timestamp) -> bool {
    !due_since.is_within(now, OVERDUE_SECONDS)
}

/// Signed metadata that expires before this time soon needs signatures.
pub const fn ends_soon(now: Timestamp) -> Timestamp {
    now.plus_seconds(EXPIRING_SECONDS)
}

/// Whether an application's devices are missing: it was published at least a day ago, and it used
/// to have devices, but had none for a week. An application that never had any may use one of the
/// updaters that send no device.
pub fn are_devices_missed(
    published_since: Option<Timestamp>,
    were_seen: bool,
    are_seen: bool,
    now: Timestamp,
) -> bool {
    let is_out = published_since.is_some_and(|since| since <= now.plus_seconds(-GRACE_SECONDS));
    is_out && were_seen && !are_seen
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

    const fn ago(seconds: i64) -> Timestamp {
        NOW.plus_seconds(-seconds)
    }

    #[test]
    fn maintenance_is_overdue_after_an_hour() {
        assert!(!is_maintenance_overdue(ago(3600), NOW));
        assert!(is_maintenance_overdue(ago(3601), NOW));
    }

    #[test]
    fn devices_are_missed_where_they_came() {
        let day = Some(ago(DAY_SECONDS));
        for (since, were_seen, are_seen, expected) in [
            (None, true, false, false),
            (Some(ago(DAY_SECONDS - 1)), true, false, false),
            (day, false, false, false),
            (day, true, true, false),
            (day, true, false, true),
        ] {
            let are_missed = are_devices_missed(since, were_seen, are_seen, NOW);
            assert_eq!(are_missed, expected, "{since:?} {were_seen} {are_seen}");
        }
    }
}
