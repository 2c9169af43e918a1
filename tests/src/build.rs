//! Which build of the components runs on Spin.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// Environment variable: `preview3` runs `deploy/spin4/spin.toml` on Spin.
const BUILD: &str = "SPINDRIFT_TEST_BUILD";
/// For how long an answer of that build may be as it was before a change, and a little for the way.
const STALE: Duration = Duration::from_millis(1_050);
/// Where installed copies ask.
const READS: [&str; 6] =
    ["/checkVersion", "/update/", "/velopack/", "/apps/latest", "/responses/", "/telemetry/beacon"];

/// Whether the build for WASI preview 3 runs.
pub(crate) fn is_preview3() -> bool {
    std::env::var(BUILD).is_ok_and(|build| build == "preview3")
}

/// When something last changed that an instance may remember.
#[derive(Debug, Default)]
pub(crate) struct Changes(Mutex<Option<Instant>>);

impl Changes {
    /// Something changes now.
    pub(crate) fn note(&self) {
        *self.0.lock().expect("the time of a change") = Some(Instant::now());
    }

    /// Before a request: waits until what the build promises holds for the answer.
    pub(crate) fn settle(&self, path: &str) {
        if !is_preview3() || !READS.iter().any(|read| path.starts_with(read)) {
            return;
        }
        let last = *self.0.lock().expect("the time of a change");
        if let Some(left) = last.and_then(|last| STALE.checked_sub(last.elapsed())) {
            thread::sleep(left);
        }
    }
}
