//! A comparison of two files, with its progress and its time limit.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use spindrift_patch::Watch;

use super::super::progress::{Meter, Progress};

/// Interval between lines of progress.
const LINE_EVERY: Duration = Duration::from_secs(15);

pub(super) struct Comparison {
    /// The files, for messages.
    label: String,
    length: u64,
    until: Instant,
    progress: Progress,
    meter: Meter,
    done: AtomicU64,
    next_line: Mutex<Instant>,
}

impl Comparison {
    /// Starts a comparison of a file of `length` bytes with that of a version.
    pub(super) fn begin(
        progress: &Progress,
        (file, length): (&str, u64),
        version: &str,
        until: Instant,
    ) -> Self {
        progress.print(&format!("{file}: comparing with {version}"));
        Self {
            label: format!("{file}: compared with {version}"),
            length,
            until,
            progress: progress.clone(),
            meter: progress.meter("comparing", file, length),
            done: AtomicU64::new(0),
            next_line: Mutex::new(Instant::now() + LINE_EVERY),
        }
    }

    /// Removes the progress bar.
    pub(super) fn end(&self) {
        self.meter.clear();
    }
}

impl Watch for Comparison {
    fn done(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.meter.add(bytes);
        let Ok(mut next) = self.next_line.lock() else { return };
        let now = Instant::now();
        if now >= *next && done < self.length {
            *next = now + LINE_EVERY;
            self.progress.print(&format!("{}: {} %", self.label, done * 100 / self.length.max(1)));
        }
    }

    fn should_continue(&self) -> bool {
        Instant::now() < self.until
    }
}
