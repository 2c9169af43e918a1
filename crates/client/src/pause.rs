//! Waiting and randomness, replaceable in tests.

use std::time::Duration;

use futures::future::BoxFuture;

/// A timer for the pauses between attempts or checks.
pub trait Sleep: Send + Sync + 'static {
    /// Completes after `duration`.
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()>;
}

/// Waits with tokio's timer.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioSleep;

impl Sleep for TokioSleep {
    fn sleep(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// A random number from the operating system. If there is none, the middle value: that only reduces the
/// spread.
pub(crate) fn random() -> u32 {
    getrandom::u32().unwrap_or(u32::MAX / 2)
}

/// `random` as a fraction of `whole`: 0 is nothing, [`u32::MAX`] is all.
pub(crate) fn part_of(whole: Duration, random: u32) -> Duration {
    let nanos = whole.as_nanos().saturating_mul(u128::from(random)) / u128::from(u32::MAX);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
