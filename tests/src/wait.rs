//! Waiting for another process.

use std::time::{Duration, Instant};

/// Pause after the first attempt. Each further one is twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// Calls `done` repeatedly until it returns a value. After `limit`, fails with a message that contains
/// `what`.
pub fn until<T>(what: &str, limit: Duration, done: impl FnMut() -> Option<T>) -> T {
    within(limit, done).unwrap_or_else(|| panic!("{what}: not within {limit:?}"))
}

/// Calls `done` repeatedly until it returns a value, or for `limit`.
pub(crate) fn within<T>(limit: Duration, mut done: impl FnMut() -> Option<T>) -> Option<T> {
    let (start, mut pause) = (Instant::now(), FIRST_PAUSE);
    loop {
        if let Some(value) = done() {
            return Some(value);
        }
        if start.elapsed() >= limit {
            return None;
        }
        std::thread::sleep(pause);
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}
