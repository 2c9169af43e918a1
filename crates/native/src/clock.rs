//! The clock.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use spindrift_core::Timestamp;
use spindrift_web::Clock;

use crate::NativePlatform;

/// The source of the time.
#[derive(Debug)]
pub(crate) enum TimeSource {
    /// The system clock, plus this many milliseconds.
    System { ahead: i64 },
    /// A stopped clock.
    Stopped(Timestamp),
}

impl Default for TimeSource {
    fn default() -> Self {
        Self::System { ahead: 0 }
    }
}

impl TimeSource {
    fn now(&self) -> Timestamp {
        match self {
            Self::System { ahead } => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                Timestamp::from_millis(millis(since).saturating_add(*ahead))
            }
            Self::Stopped(now) => *now,
        }
    }
}

impl Clock for NativePlatform {
    fn now(&self) -> Timestamp {
        self.time().lock().unwrap_or_else(PoisonError::into_inner).now()
    }
}

pub(crate) fn stop(time: &Mutex<TimeSource>, now: Timestamp) {
    *time.lock().unwrap_or_else(PoisonError::into_inner) = TimeSource::Stopped(now);
}

pub(crate) fn advance(time: &Mutex<TimeSource>, by: Duration) {
    match &mut *time.lock().unwrap_or_else(PoisonError::into_inner) {
        TimeSource::System { ahead } => *ahead = ahead.saturating_add(millis(by)),
        TimeSource::Stopped(now) => {
            *now = Timestamp::from_millis(now.as_millis().saturating_add(millis(by)));
        }
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
    fn a_stopped_clock_moves_when_told() {
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
