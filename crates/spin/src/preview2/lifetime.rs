//! An instance lives until the work after its answer is done.

use super::waiting::wait;
use crate::GATHER_NANOS;

/// An instance answers one request, so no other request waits for it.
pub(crate) const IS_SHARED: bool = false;

/// Never, because an instance answers one request.
pub(crate) const fn is_reused() -> bool {
    false
}

/// Waits for the requests that other instances answer in the meantime.
pub(crate) async fn gather() -> bool {
    wait(GATHER_NANOS).await;
    false
}
