//! When to retry a webhook.

use crate::Timestamp;

/// The pause before the second attempt, in milliseconds. Each later pause is twice as long.
const FIRST_PAUSE: i64 = 5 * 60 * 1000;
/// The maximum pause, in milliseconds.
const LONGEST_PAUSE: i64 = 6 * 60 * 60 * 1000;
/// After how many seconds of failures a webhook is switched off.
pub const WEBHOOK_GIVES_UP_AFTER: i64 = 3 * 24 * 60 * 60;

/// The step after a delivery that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// Another attempt, not before this time.
    At(Timestamp),
    /// The webhook is switched off.
    Off,
}

/// The next step after an attempt that failed at `now`. `since`: the first failure after the last
/// success, which may be this one. `is_gone`: the receiver answered 410, to get no further
/// messages.
pub fn after_failure(since: Timestamp, is_gone: bool, now: Timestamp) -> Retry {
    if is_gone || since.plus_seconds(WEBHOOK_GIVES_UP_AFTER) <= now {
        return Retry::Off;
    }
    // Pauses of 5, 10, 20 minutes end 5, 15, 35 minutes after the first failure: each is 5 minutes more than
    // the time before it.
    let elapsed = now.as_millis().saturating_sub(since.as_millis()).max(0);
    let pause = elapsed.saturating_add(FIRST_PAUSE).min(LONGEST_PAUSE);
    Retry::At(Timestamp::from_millis(now.as_millis().saturating_add(pause)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINCE: Timestamp = Timestamp::from_millis(1_795_225_422_000);

    #[test]
    fn pauses_double_up_to_six_hours_and_end_after_three_days() {
        let (mut now, mut pauses) = (SINCE, Vec::new());
        while let Retry::At(next) = after_failure(SINCE, false, now) {
            pauses.push((next.as_millis() - now.as_millis()) / 60_000);
            now = next;
        }
        assert_eq!(pauses[..9], [5, 10, 20, 40, 80, 160, 320, 360, 360]);
        assert!(now >= SINCE.plus_seconds(WEBHOOK_GIVES_UP_AFTER));
        assert!(now <= SINCE.plus_seconds(WEBHOOK_GIVES_UP_AFTER + 6 * 60 * 60));
    }

    #[test]
    fn a_receiver_can_end_it() {
        assert_eq!(after_failure(SINCE, true, SINCE), Retry::Off);
    }

    #[test]
    fn a_clock_that_went_back_does_no_harm() {
        let earlier = SINCE.plus_seconds(-60);
        assert_eq!(after_failure(SINCE, false, earlier), Retry::At(earlier.plus_seconds(300)));
    }
}
