//! Waiting for the host.

use std::future::poll_fn;
use std::task::{Context, Poll};

use spin_executor::CancelOnDropToken;
use wasi::clocks::monotonic_clock;
use wasi::io::poll::Pollable;

/// Wakes the task when `ready` is ready. A task that is polled for another reason registers again, so
/// dropping the token must remove the first registration. While a registration exists, its resource cannot be
/// dropped: the host ends an instance that tries.
pub(super) fn wake_when(ready: Pollable, context: &Context<'_>) -> CancelOnDropToken {
    spin_executor::push_waker_and_get_token(ready, context.waker().clone()).into()
}

/// Waits for this many nanoseconds.
pub(super) async fn wait(nanos: u64) {
    let end = monotonic_clock::now() + nanos;
    let mut waiting = None;
    poll_fn(|context| {
        if monotonic_clock::now() >= end {
            return Poll::Ready(());
        }
        waiting = Some(wake_when(monotonic_clock::subscribe_instant(end), context));
        Poll::Pending
    })
    .await;
}
