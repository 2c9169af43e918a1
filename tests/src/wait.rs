//! Waiting for another process.

use std::time::{Duration, Instant};

/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(10);

/// Calls `done` repeatedly until it returns a value. After `limit`, fails with a message that contains
/// `what`.
pub fn until<T>(what: &str, limit: Duration, mut done: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = done() {
            return value;
        }
        assert!(start.elapsed() < limit, "{what}: not within {limit:?}");
        std::thread::sleep(PAUSE);
    }
}
