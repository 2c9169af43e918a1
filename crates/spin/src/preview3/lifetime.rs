//! How long an instance lives.
//!
//! Spin gives an instance no further request once it has answered `--max-instance-reuse-count` requests (128
//! by default), or got none for `--idle-instance-timeout` (1 s). It ends the instance when the work after its
//! answers is done.

use std::cell::Cell;

use wasip3::clocks::monotonic_clock;

use crate::GATHER_NANOS;

thread_local! {
    static REQUESTS: Cell<u32> = const { Cell::new(0) };
}

/// Other requests of the instance wait while a handler works.
pub(crate) const IS_SHARED: bool = true;

/// Counts a request of this instance.
pub(super) fn begin() {
    REQUESTS.set(REQUESTS.get().wrapping_add(1));
}

/// Whether the instance has answered other requests. A host may be configured to start an instance for each
/// request, so the first request cannot count on a second one.
pub(crate) fn is_reused() -> bool {
    REQUESTS.get() != 1
}

pub(crate) async fn gather() -> bool {
    let before = REQUESTS.get();
    monotonic_clock::wait_for(GATHER_NANOS).await;
    REQUESTS.get() != before
}
