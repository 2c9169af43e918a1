//! Waiting for something that another process does.

use std::time::{Duration, Instant};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(10);

/// Asks `done` again and again until it has an answer, at most for `limit`; then it is an error that names `what`.
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
