//! How long an instance lives.
//!
//! Spin ends an instance when it has answered as many requests as `--max-instance-reuse-count` says (128 by default), or
//! none for `--idle-instance-timeout` (1 s), and does not wait for work after the answers. It does not say which request is
//! the last one. So every [`ROUND`]th may be.

use std::cell::Cell;

use wasip3::clocks::monotonic_clock;

use crate::GATHER_NANOS;

/// Requests after which work that waits is done at the latest. `--max-instance-reuse-count` has to be a multiple of it.
const ROUND: u32 = 64;

thread_local! {
    static REQUESTS: Cell<u32> = const { Cell::new(0) };
}

/// An instance answers many requests.
pub(crate) const IS_REUSED: bool = true;

/// Counts a request of this instance.
pub(super) fn begin() {
    REQUESTS.set(REQUESTS.get().wrapping_add(1));
}

pub(crate) fn may_end() -> bool {
    REQUESTS.get().is_multiple_of(ROUND)
}

pub(crate) async fn gather() -> bool {
    let before = REQUESTS.get();
    monotonic_clock::wait_for(GATHER_NANOS).await;
    REQUESTS.get() != before
}
