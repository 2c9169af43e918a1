//! An instance lives until the work after its answer is done.

use super::waiting::wait;
use crate::GATHER_NANOS;

/// An instance answers one request.
pub(crate) const IS_REUSED: bool = false;

/// Waits for the requests that other instances answer meanwhile.
pub(crate) async fn gather() -> bool {
    wait(GATHER_NANOS).await;
    false
}

/// Work that waits is done after the answer.
pub(crate) const fn may_end() -> bool {
    false
}
