//! An end to transfers that do not move.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use super::progress::Meter;

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Runs `work` until it is done, or until no byte moved for `limit`. When `expected` bytes have moved, the other side may
/// take `answer_limit` for its answer.
///
/// # Errors
/// `Err(())` when it was given up.
pub(super) async fn unless_stalled<T>(
    work: impl Future<Output = T>,
    meters: &[Meter],
    expected: u64,
    limit: Duration,
    answer_limit: Duration,
) -> Result<T, ()> {
    let moved = || meters.iter().map(Meter::moved).sum::<u64>();
    let before = moved();
    let (mut last, mut still) = (before, Duration::ZERO);
    let mut work = pin!(work);
    loop {
        if let Ok(done) = tokio::time::timeout(LOOK, &mut work).await {
            return Ok(done);
        }
        let now = moved();
        still = if now == last { still + LOOK } else { Duration::ZERO };
        last = now;
        if still >= if now - before >= expected { answer_limit } else { limit } {
            return Err(());
        }
    }
}
