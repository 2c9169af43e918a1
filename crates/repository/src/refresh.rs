//! Signing again without a proposal.

use spindrift_core::Timestamp;
use spindrift_db::repositories;
use spindrift_service::Ports;
use spindrift_trust::{Renewal, RoleName, TargetsSigner, may_retry};

use crate::app_repository::AppRepository;
use crate::change::MetadataChange;
use crate::commit::{commit, reconcile, write_missing};
use crate::error::RepositoryError;
use crate::events::{EventCause, EventKind, Task, record_event};
use crate::lease::RepositoryLease;

/// A due time that makes everything due that the service signs, whatever its age. `deploy/restore.sql` sets
/// it in a restored database, because clients may have seen higher numbers than the database has.
const ALL_DUE_AT: Timestamp = Timestamp::from_millis(0);

impl<P: Ports> AppRepository<'_, P> {
    /// Finishes the work of a killed call, and signs metadata again that is past half its lifetime. Returns
    /// whether something was signed. Does nothing while another call works on the repository, because that
    /// call does this work too. After a failure, does not try again for a minute.
    pub async fn refresh_if_due(&self) -> Result<bool, RepositoryError> {
        let Some(row) = repositories::by_app(self.conn, self.app)? else { return Ok(false) };
        let is_left = row.is_unfinished() || is_due(&row, self.ports.now());
        if !is_left || !may_try(&row, self.ports.now()) {
            return Ok(false);
        }
        let result = self
            .with_lease(async |lease| {
                // Another call may have failed since the row was first read.
                if repositories::by_app(self.conn, self.app)?
                    .is_none_or(|row| !may_try(&row, self.ports.now()))
                {
                    return Ok(false);
                }
                match finish_and_sign(lease).await {
                    Err(error) if error.is_left_to_another_call() => Err(error),
                    Err(error) if error.needs_offline_signature() => {
                        repositories::set_due(self.conn, self.app, None)?;
                        Ok(false)
                    }
                    Err(failure) => {
                        repositories::set_refresh_failed(self.conn, self.app, self.ports.now())?;
                        Err(failure)
                    }
                    done => done,
                }
            })
            .await;
        match result {
            Err(error) if error.is_left_to_another_call() => Ok(false),
            result => result,
        }
    }
}

async fn finish_and_sign<P: Ports>(lease: &RepositoryLease<'_, P>) -> Result<bool, RepositoryError> {
    let repository = reconcile(lease).await?;
    if !is_due(&repository.row, lease.ports.now()) {
        return Ok(false);
    }
    let cause = EventCause::service(EventKind::OnlineUpdate);
    // Before the first signature there is nothing to sign again.
    let is_all_due = repository.row.due_at == Some(ALL_DUE_AT) && repository.timestamp.is_some();
    let renewal = if is_all_due { Renewal::Targets } else { Renewal::Nothing };
    let change = MetadataChange::of_service(cause, renewal, "Signed again because it was due");
    commit(lease, &repository, change).await.map(|_| true)
}

fn is_due(row: &repositories::Repository, now: Timestamp) -> bool {
    row.due_at.is_some_and(|due| due <= now)
}

fn may_try(row: &repositories::Repository, now: Timestamp) -> bool {
    row.refresh_failed_at.is_none_or(|failed_at| may_retry(failed_at, now))
}

impl<P: Ports> AppRepository<'_, P> {
    /// Signs these roles again, due or not, and those that name them; `None` means everything that the
    /// service signs. Fails for targets that a publisher signs, and where there is nothing to sign yet.
    pub async fn sign_again(
        &self,
        roles: Option<&[RoleName]>,
        cause: EventCause,
    ) -> Result<Task, RepositoryError> {
        self.with_lease(async |lease| {
            let repository = reconcile(lease).await?;
            let has = |role: &RoleName| roles.is_none_or(|roles| roles.contains(role));
            let is_publishers = repository.targets_signer(self.ports)? == Some(TargetsSigner::Publisher);
            if roles.is_some() && has(&RoleName::Targets) && is_publishers {
                return Err(RepositoryError::TargetsOfPublisher);
            }
            let renewal = match (has(&RoleName::Targets), has(&RoleName::Snapshot)) {
                (true, _) => Renewal::Targets,
                (false, true) => Renewal::Snapshot,
                (false, false) => Renewal::Timestamp,
            };
            if repository.timestamp.is_none() {
                return Err(RepositoryError::NoTargetsYet);
            }
            let change = MetadataChange::of_service(cause, renewal, "Online metadata was signed again");
            commit(lease, &repository, change).await
        })
        .await
    }

    /// Finishes what a killed call left, compares every current file with the bucket, and signs what is due.
    pub async fn recover(&self, cause: EventCause) -> Result<Task, RepositoryError> {
        self.with_lease(async |lease| {
            let repository = reconcile(lease).await?;
            write_missing(lease, &repository).await?;
            let message = "Bucket and database agree";
            if repository.root.is_none() {
                return record_event(lease, &repository.row.owner_id, &cause, message);
            }
            commit(lease, &repository, MetadataChange::of_service(cause, Renewal::Nothing, message)).await
        })
        .await
    }
}
