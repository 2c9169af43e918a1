//! Work that a read of `timestamp.json` leaves until after its answer.

use spindrift_core::{Id, Timestamp};
use spindrift_db::repository_files::ReadMetadata;
use spindrift_repository::{AppRepository, RepositoryError};
use spindrift_service::{Ports, log};
use spindrift_trust::may_retry;
use spindrift_web::DeferredWork;

/// Signs what is due, and finishes what a killed call has left. No caller waits for this, because the current
/// files remain valid until it is done.
pub(crate) fn refresh_after<P: Ports>(
    ports: &P,
    found: &ReadMetadata,
    now: Timestamp,
) -> Option<DeferredWork> {
    if !found.is_due || found.failed_at.is_some_and(|failed_at| !may_retry(failed_at, now)) {
        return None;
    }
    let (ports, app) = (ports.clone(), found.repository.app_id.clone());
    Some(Box::pin(async move {
        if let Err(error) = refresh(&ports, &app).await {
            log::warn("signed metadata was not refreshed", &error);
        }
    }))
}

async fn refresh<P: Ports>(ports: &P, app: &Id) -> Result<(), RepositoryError> {
    let conn = ports.connect()?;
    AppRepository::new(ports, &conn, app).refresh_if_due().await.map(drop)
}
