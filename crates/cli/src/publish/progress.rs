//! Shows the progress of hashing and sending.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::output::{Output, ProgressMode, bytes};

/// Progress bars, or plain lines if there is no terminal.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    bars: MultiProgress,
    output: Output,
    mode: ProgressMode,
}

#[derive(Debug, Clone)]
pub(super) struct Meter {
    progress: Progress,
    bar: ProgressBar,
    name: String,
    total: u64,
    moved: Arc<AtomicU64>,
    /// Bytes of the current attempt.
    attempt: Arc<AtomicU64>,
}

impl Progress {
    pub(crate) fn new(output: Output) -> Self {
        Self { bars: MultiProgress::new(), output, mode: output.progress_mode() }
    }

    /// Starts an operation on a file of `total` bytes.
    pub(super) fn meter(&self, verb: &'static str, name: &str, total: u64) -> Meter {
        let bar = if self.mode == ProgressMode::Bars {
            let style = "{prefix:8} {msg:30!} {bar:25} {bytes}/{total_bytes} {bytes_per_sec} {eta}";
            let style = ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
            self.bars.add(
                ProgressBar::new(total).with_style(style).with_prefix(verb).with_message(name.to_owned()),
            )
        } else {
            ProgressBar::hidden()
        };
        let (moved, attempt) = Default::default();
        Meter { progress: self.clone(), bar, name: name.to_owned(), total, moved, attempt }
    }

    /// Prints a message.
    pub(super) fn print(&self, text: &str) {
        match self.mode {
            ProgressMode::Bars => {
                // Without a terminal the bars are hidden.
                let _ = self.bars.println(text);
            }
            ProgressMode::Lines => self.output.message(text),
            ProgressMode::Nothing => {}
        }
    }
}

impl Meter {
    /// Records progress of `count` bytes.
    pub(super) fn add(&self, count: u64) {
        self.moved.fetch_add(count, Ordering::Relaxed);
        self.attempt.fetch_add(count, Ordering::Relaxed);
        self.bar.inc(count);
    }

    /// Number of bytes processed, including those of earlier attempts.
    pub(super) fn position(&self) -> u64 {
        self.moved.load(Ordering::Relaxed)
    }

    /// Removes the progress of a failed attempt from the bar.
    pub(super) fn restart(&self) {
        let lost = self.attempt.swap(0, Ordering::Relaxed);
        self.bar.set_position(self.bar.position().saturating_sub(lost));
    }

    /// Sets the number of bytes that are done.
    pub(super) fn set(&self, count: u64) {
        self.bar.set_position(count);
    }

    /// A meter for a part of the operation, which shares its bar.
    pub(super) fn part(&self) -> Self {
        let (moved, attempt) = Default::default();
        Self { moved, attempt, ..self.clone() }
    }

    /// Ends the operation without a message.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// Ends the operation with a message that begins with `verb`.
    pub(super) fn finish(&self, verb: &str) {
        self.bar.finish_and_clear();
        if self.progress.mode == ProgressMode::Lines {
            self.progress.print(&format!("{verb} {} ({})", self.name, bytes(self.total)));
        }
    }
}
