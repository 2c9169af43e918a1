//! Ends transfers that make no progress.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use super::progress::Meter;

/// Interval between checks.
const LOOK: Duration = Duration::from_millis(500);

/// Runs `work` until it is done, or until no byte has moved for `limit`. After `expected` bytes,
/// the other side has `answer_limit` to answer.
///
/// # Errors
/// `Err(())` if the transfer was given up.
pub(super) async fn unless_stalled<T>(
    work: impl Future<Output = T>,
    meters: &[Meter],
    expected: u64,
    limit: Duration,
    answer_limit: Duration,
) -> Result<T, ()> {
    let moved = || meters.iter().map(Meter::position).sum::<u64>();
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
