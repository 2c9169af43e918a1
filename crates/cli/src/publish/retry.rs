//! Decides how long to retry after transient failures.

use std::fmt::Display;
use std::time::{Duration, Instant};

use super::limits::UploadLimits;

/// Tracks the failures of one piece of work. After progress, start with a new value.
#[derive(Debug)]
pub(crate) struct RetryBudget<'a> {
    limits: &'a UploadLimits,
    failed: u32,
    /// When the first failure happened.
    since: Option<Instant>,
}

/// A pause before the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RetryPause {
    pub(crate) pause: Duration,
    /// How much time is left for further attempts.
    left: Duration,
}

impl<'a> RetryBudget<'a> {
    pub(crate) const fn new(limits: &'a UploadLimits) -> Self {
        Self { limits, failed: 0, since: None }
    }

    /// The pause after a failure at `now`, at least as long as the other side `asked` for. `None`:
    /// give up.
    pub(crate) fn after_failure(&mut self, now: Instant, asked: Option<Duration>) -> Option<RetryPause> {
        let waited = now.saturating_duration_since(*self.since.get_or_insert(now));
        let left = Duration::from_secs(self.limits.retry_for).checked_sub(waited)?;
        if self.limits.retries.is_some_and(|most| self.failed >= most) {
            return None;
        }
        self.failed += 1;
        let pause = self.limits.pause(self.failed).max(asked.unwrap_or_default());
        (pause <= left).then_some(RetryPause { pause, left })
    }
}

impl RetryPause {
    /// A message with the failure and the next step.
    pub(crate) fn message(self, failure: &impl Display) -> String {
        let left = match self.left.as_secs() {
            seconds if seconds < 120 => format!("{seconds} s"),
            seconds => format!("{} minutes", seconds / 60),
        };
        format!("{failure}; trying again in {} s, for up to {left}", self.pause.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::super::limits::tests::LIMITS;
    use super::*;

    #[test]
    fn failures_are_waited_out_for_ten_minutes() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut budget = RetryBudget::new(&LIMITS);
        let first = budget.after_failure(at(5), None).unwrap();
        assert_eq!(first.message(&"no answer"), "no answer; trying again in 1 s, for up to 10 minutes");
        assert_eq!(budget.after_failure(at(6), None).map(|next| next.pause.as_secs()), Some(2));
        let asked = Some(Duration::from_mins(1));
        assert_eq!(budget.after_failure(at(305), asked).map(|next| next.pause.as_secs()), Some(60));
        let late = budget.after_failure(at(595), None).unwrap();
        assert_eq!(late.message(&"no answer"), "no answer; trying again in 8 s, for up to 10 s");
        assert_eq!(budget.after_failure(at(604), None), None, "the next one would be too late");
        assert_eq!(budget.after_failure(at(900), None), None);
    }

    #[test]
    fn the_number_of_retries_can_be_limited() {
        let limits = UploadLimits { retries: Some(1), ..LIMITS };
        let mut budget = RetryBudget::new(&limits);
        assert!(budget.after_failure(Instant::now(), None).is_some());
        assert!(budget.after_failure(Instant::now(), None).is_none());
    }
}
