//! Shared by the parts of a run.

use futures::StreamExt;
use spindrift_core::{Id, Timestamp};
use spindrift_service::{Ports, log};

use crate::app_repository::AppRepository;
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

/// A run of maintenance.
pub(super) struct UpkeepRun<'a, P: Ports> {
    pub(super) ports: &'a P,
    pub(super) conn: &'a P::Conn,
    /// When the run stops starting work on further repositories.
    pub(super) until: Timestamp,
}

impl<P: Ports> UpkeepRun<'_, P> {
    /// Handles the repositories of several applications concurrently. A failure is logged and does not stop
    /// the others; the first one is returned.
    pub(super) async fn each<T>(
        &self,
        apps: &[Id],
        work: impl AsyncFn(&AppRepository<'_, P>) -> Result<T, RepositoryError>,
    ) -> (Vec<T>, Result<(), RepositoryError>) {
        let attempt = async |app| {
            let has_time = self.ports.now() < self.until;
            if has_time { Some(work(&AppRepository::new(self.ports, self.conn, app)).await) } else { None }
        };
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
}
