//! The builds of the components.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// Environment variable for tests: `preview3` runs `deploy/fast/spin.toml` on the hosts.
const BUILD: &str = "SPINDRIFT_TEST_BUILD";
/// How long an answer of that build may be outdated, with a margin for its transfer.
const STALE: Duration = Duration::from_millis(1_050);
/// The paths that installed copies request.
const READS: [&str; 6] =
    ["/checkVersion", "/update/", "/velopack/", "/apps/latest", "/responses/", "/telemetry/beacon"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Build {
    /// `spin.toml`: all components for WASI preview 2, which every host runs.
    Preview2,
    /// `deploy/fast/spin.toml`: the components that answer installed copies are for WASI 0.3. Spin before 4.1
    /// does not run it.
    Preview3,
    /// The components of [`Build::Preview2`], whose instructions the runner of `.wasm` files counts.
    Counted,
}

impl Build {
    /// How long an answer to an installed copy may be outdated.
    pub(crate) const fn staleness(self) -> Duration {
        match self {
            Self::Preview2 | Self::Counted => Duration::ZERO,
            Self::Preview3 => STALE,
        }
    }

    /// The build that the tests' environment selects.
    pub(crate) fn of_tests() -> Self {
        if std::env::var(BUILD).is_ok_and(|build| build == "preview3") {
            Self::Preview3
        } else {
            Self::Preview2
        }
    }
}

/// When data that an instance may remember last changed.
#[derive(Debug)]
pub(crate) struct Changes {
    build: Build,
    last: Mutex<Option<Instant>>,
}

impl Changes {
    /// No changes yet, for a service that runs this build.
    pub(crate) fn of(build: Build) -> Self {
        Self { build, last: Mutex::default() }
    }

    /// Records a change now.
    pub(crate) fn note(&self) {
        *self.last.lock().expect("the time of a change") = Some(Instant::now());
    }

    /// Before a request: waits until the build's promises hold for the answer.
    pub(crate) fn settle(&self, path: &str) {
        if READS.iter().any(|read| path.starts_with(read)) {
            self.settle_all();
        }
    }

    /// Like [`Self::settle`], before requests that others send.
    pub(crate) fn settle_all(&self) {
        if self.build.staleness().is_zero() {
            return;
        }
        let last = *self.last.lock().expect("the time of a change");
        if let Some(left) = last.and_then(|last| STALE.checked_sub(last.elapsed())) {
            thread::sleep(left);
        }
    }
}
