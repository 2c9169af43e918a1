//! Waiting and randomness, so that tests need neither.

use std::time::Duration;

use futures::future::BoxFuture;

/// What waits between two attempts or checks.
pub trait Sleep: Send + Sync + 'static {
    /// Is done after `duration`.
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

/// A random number from the operating system; one half when it has none, which only means less spread.
pub(crate) fn random() -> u32 {
    getrandom::u32().unwrap_or(u32::MAX / 2)
}

/// `random` as a part of `whole`: 0 is nothing, [`u32::MAX`] is all.
pub(crate) fn part_of(whole: Duration, random: u32) -> Duration {
    let nanos = whole.as_nanos().saturating_mul(u128::from(random)) / u128::from(u32::MAX);
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
