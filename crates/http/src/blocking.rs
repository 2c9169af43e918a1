//! Short blocking work on a runtime thread.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Runs `work` on this thread. A runtime with several threads can move its other tasks to another one.
pub fn blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}
