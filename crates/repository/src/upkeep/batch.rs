//! Shared by the parts of a run.

use futures::StreamExt;
use spindrift_core::{Id, Timestamp};
use spindrift_service::{Ports, log};

use crate::error::RepositoryError;

/// Maximum number of repositories that one run signs again, compares with the bucket, or takes staged files
/// from.
pub(super) const BATCH: u32 = 200;
/// Number of repositories handled concurrently. They mostly wait for the storage.
const CONCURRENT: usize = 8;
pub(super) const DAY_SECONDS: i64 = 24 * 60 * 60;

/// The result of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Upkeep {
    /// Repositories that were signed again.
    pub signed: u64,
    /// Repositories whose root or publisher's targets have expired or will within 30 days.
    pub expiring: u64,
    pub objects_deleted: u64,
}

/// Handles several repositories concurrently, and starts with none after `until`. A failure is logged and
/// does not stop the others; the first one is returned.
pub(super) async fn each<P: Ports, T>(
    ports: &P,
    apps: &[Id],
    until: Timestamp,
    work: impl AsyncFn(&Id) -> Result<T, RepositoryError>,
) -> (Vec<T>, Result<(), RepositoryError>) {
    let attempt = async |app| if ports.now() < until { Some(work(app).await) } else { None };
    let mut attempts = futures::stream::iter(apps).map(attempt).buffer_unordered(CONCURRENT);
    let (mut results, mut first) = (Vec::new(), Ok(()));
    while let Some(result) = attempts.next().await {
        match result {
            None => {}
            Some(Ok(result)) => results.push(result),
            Some(Err(failure)) => {
                log::warn("maintenance of signed metadata failed", &failure);
                first = first.and(Err(failure));
            }
        }
    }
    (results, first)
}
