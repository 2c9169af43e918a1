//! The clock.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use spindrift_core::Timestamp;
use spindrift_web::Clock;

use crate::NativePlatform;

/// Value of [`TimeSource::stopped`] while the clock is running.
const RUNS: i64 = i64::MIN;

/// The source of the time: the system clock, or one that a test has stopped.
#[derive(Debug)]
pub(crate) struct TimeSource {
    /// Milliseconds by which the clock is ahead of the system's.
    ahead: AtomicI64,
    /// The time at which the clock is stopped, in milliseconds, or [`RUNS`].
    stopped: AtomicI64,
}

impl Default for TimeSource {
    fn default() -> Self {
        Self { ahead: AtomicI64::new(0), stopped: AtomicI64::new(RUNS) }
    }
}

impl TimeSource {
    fn now(&self) -> Timestamp {
        let stopped = self.stopped.load(Ordering::Relaxed);
        if stopped != RUNS {
            return Timestamp::from_millis(stopped);
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(millis(since).saturating_add(self.ahead.load(Ordering::Relaxed)))
    }

    pub(crate) fn stop(&self, now: Timestamp) {
        self.stopped.store(now.as_millis(), Ordering::Relaxed);
    }

    pub(crate) fn advance(&self, by: Duration) {
        let moved = if self.stopped.load(Ordering::Relaxed) == RUNS { &self.ahead } else { &self.stopped };
        moved.fetch_add(millis(by), Ordering::Relaxed);
    }
}

impl Clock for NativePlatform {
    fn now(&self) -> Timestamp {
        self.time().now()
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use spindrift_core::Timestamp;
    use spindrift_web::Clock as _;

    use crate::NativePlatform;

    #[test]
    fn a_stopped_clock_moves_on_request() {
        let platform = NativePlatform::new("unused").with_time(Timestamp::from_millis(5));
        assert_eq!(platform.now().as_millis(), 5);
        platform.clone().advance(Duration::from_secs(1));
        assert_eq!(platform.now().as_millis(), 1005);
    }

    #[test]
    fn the_system_clock_can_be_ahead() {
        let platform = NativePlatform::new("unused");
        let before = platform.now();
        platform.advance(Duration::from_hours(1));
        assert!(platform.now() >= before.plus_seconds(3600));
        assert!(before.as_seconds() > 1_700_000_000);
    }
}
