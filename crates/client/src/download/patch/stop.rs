//! Ends the work of blocking threads.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Stops a blocking thread: its time is up, or its result is no longer needed.
#[derive(Debug, Clone)]
pub(super) struct Stop {
    /// `None`: the time is too far away to be represented, so there is no limit.
    until: Option<Instant>,
    is_given_up: Arc<AtomicBool>,
}

impl Stop {
    /// An error if the work has to end.
    pub(super) fn check(&self) -> io::Result<()> {
        if self.is_given_up.load(Ordering::Relaxed) {
            return Err(io::Error::other("cancelled"));
        }
        match self.until {
            Some(until) if Instant::now() >= until => {
                Err(io::Error::new(io::ErrorKind::TimedOut, "it takes longer than max_patch_time"))
            }
            _ => Ok(()),
        }
    }
}

/// Belongs to a call. Its threads end when it is dropped.
#[derive(Debug)]
pub(super) struct WorkGuard(Arc<AtomicBool>);

impl WorkGuard {
    /// Work that may take this long.
    pub(super) fn start(time: Duration) -> (Self, Stop) {
        let running = Self(Arc::default());
        let stop = running.limit(time);
        (running, stop)
    }

    /// Further work of the same call, with a time of its own.
    pub(super) fn limit(&self, time: Duration) -> Stop {
        Stop { until: Instant::now().checked_add(time), is_given_up: Arc::clone(&self.0) }
    }
}

impl Drop for WorkGuard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_with_its_time_and_with_its_call() {
        let (running, stop) = WorkGuard::start(Duration::MAX);
        assert!(stop.check().is_ok());
        let late = running.limit(Duration::ZERO);
        assert_eq!(late.check().unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(running);
        assert_eq!(stop.check().unwrap_err().to_string(), "cancelled");
    }
}
