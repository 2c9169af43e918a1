//! The progress of a download, for other threads than the one that waits for it.

use std::sync::atomic::{AtomicU64, Ordering};

use spindrift_client::Progress;
use tokio::sync::Notify;

/// The progress of one download. A thread that draws it, or lets the user cancel, uses it while another
/// thread is in `spindrift_download`. Free it after that call has returned.
#[derive(Default)]
pub struct ProgressHandle {
    bytes: AtomicU64,
    total: AtomicU64,
    cancel: Notify,
}

impl ProgressHandle {
    pub(crate) fn set(&self, progress: Progress) {
        self.bytes.store(progress.bytes, Ordering::Relaxed);
        self.total.store(progress.total.unwrap_or_default(), Ordering::Relaxed);
    }

    /// Ends when the download should.
    pub(crate) async fn cancelled(&self) {
        self.cancel.notified().await;
    }
}

/// Makes a progress, which you free. Pass it to one download.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_progress_new() -> Option<Box<ProgressHandle>> {
    Some(Box::default())
}

/// The bytes on disk. The number decreases if the download starts again. With a patch, they are first those
/// of the patch. 0 if `progress` is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_progress_bytes(progress: Option<&ProgressHandle>) -> u64 {
    progress.map_or(0, |progress| progress.bytes.load(Ordering::Relaxed))
}

/// The bytes of the whole file. 0: not known yet, or `progress` is NULL.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_progress_total(progress: Option<&ProgressHandle>) -> u64 {
    progress.map_or(0, |progress| progress.total.load(Ordering::Relaxed))
}

/// Ends the download with `SPINDRIFT_CANCELLED`, also one that begins later. The next download to the same path
/// continues with its bytes.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_progress_cancel(progress: Option<&ProgressHandle>) {
    if let Some(progress) = progress {
        progress.cancel.notify_one();
    }
}

/// Frees a progress.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_progress_free(progress: Option<Box<ProgressHandle>>) {
    drop(progress);
}
