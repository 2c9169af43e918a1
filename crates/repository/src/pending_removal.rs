//! Takes files that are about to be deleted off the service's list first: a client that was offered a file
//! must not lose it while the list names it. If a call is killed in between, maintenance lists the files
//! again.

use spindrift_core::{Id, Release};
use spindrift_db::changes::Subject;
use spindrift_db::{Audit, SqlConn, pending_removal};
use spindrift_service::requests::Session;
use spindrift_service::{Ports, ServiceError, log};
use spindrift_trust::TargetsSigner;

use crate::app_repository::AppRepository;
use crate::error::RepositoryError;

/// Seconds after which a call that takes files off the list counts as dead. A call signs for at most the few
/// minutes of one lease, and then deletes at once.
const REMOVAL_SECONDS: i64 = 15 * 60;

/// A release, and those of its artifacts that are about to be deleted.
#[derive(Clone, Copy)]
pub struct PendingRemoval<'a> {
    pub release: &'a Release,
    pub artifacts: &'a [Id],
}

/// Whether artifacts were taken off the service's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delisting {
    /// They were taken off the list. No others may be deleted.
    Done,
    /// The service has no list to take them off. A publisher's list names them until its next signature.
    NotNeeded,
}

impl Delisting {
    /// Compares the deleted artifacts with those that were taken off the list. Call it in the transaction
    /// that deletes them. Fails if one of them may still be on the list.
    pub fn require(self, conn: &impl SqlConn, deleted: &[Id]) -> Result<(), RepositoryError> {
        if self == Self::NotNeeded || pending_removal::are_all(conn, deleted)? {
            return Ok(());
        }
        Err(ServiceError::FileInUse("a file of the release").into())
    }
}

/// Takes artifacts that are about to be deleted off the service's list. If this fails they stay on it, and
/// the call can be repeated. If the deletion fails afterwards, call [`relist`].
pub async fn delist<P: Ports>(
    session: &Session<'_, P>,
    PendingRemoval { release, artifacts }: PendingRemoval<'_>,
) -> Result<Delisting, RepositoryError> {
    let repository = AppRepository::of(session, &release.app_id);
    if artifacts.is_empty() || repository.targets_signer()? != Some(TargetsSigner::Service) {
        return Ok(Delisting::NotNeeded);
    }
    let subject = Subject::Release(&release.app_id, &release.version);
    let until = Some(session.ports.now().plus_seconds(REMOVAL_SECONDS));
    session
        .commit(subject, |conn| {
            pending_removal::set(conn, artifacts, until)?;
            Ok::<_, ServiceError>(((), Audit::Consequence))
        })
        .await?;
    if let Err(failure) = repository.sync_targets().await {
        relist(session, PendingRemoval { release, artifacts }).await;
        return Err(failure);
    }
    Ok(Delisting::Done)
}

/// Puts artifacts that were not deleted after all back on the list. A failure is logged, and maintenance
/// repeats the attempt.
pub async fn relist<P: Ports>(
    session: &Session<'_, P>,
    PendingRemoval { release, artifacts }: PendingRemoval<'_>,
) {
    let subject = Subject::Release(&release.app_id, &release.version);
    match session
        .commit(subject, |conn| {
            pending_removal::set(conn, artifacts, None)?;
            Ok::<_, ServiceError>(((), Audit::Consequence))
        })
        .await
    {
        Ok(()) => AppRepository::of(session, &release.app_id).try_sync_targets().await,
        Err(failure) => log::warn("files that were not deleted are not listed yet", &failure),
    }
}
