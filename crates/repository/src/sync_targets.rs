//! Brings the targets that the service signs in sync with the releases, after an upload, a change, or a
//! deletion.

use spindrift_core::Listing;
use spindrift_db::listings::{self, ListingFilter};
use spindrift_db::repositories;
use spindrift_service::{Ports, log};
use spindrift_trust::{Renewal, RoleName, TargetsSigner};

use crate::app_repository::AppRepository;
use crate::change::MetadataChange;
use crate::commit::{CommitOutcome, commit_if_needed, reconcile};
use crate::error::RepositoryError;
use crate::events::{EventCause, EventKind, Task};
use crate::files::current;
use crate::repository;

/// Maximum number of commits in one call. All but the first are for other calls, whose changes were recorded
/// in the meantime and which could not sign because this call did.
const MAX_COMMITS: usize = 16;

impl<P: Ports> AppRepository<'_, P> {
    /// The signer of the targets. `None`: the application has no repository, or its root lacks signatures.
    pub fn targets_signer(&self) -> Result<Option<TargetsSigner>, RepositoryError> {
        match repositories::by_app(self.conn, self.app)? {
            Some(row) => self.signer(&row),
            None => Ok(None),
        }
    }

    fn signer(&self, row: &repositories::Repository) -> Result<Option<TargetsSigner>, RepositoryError> {
        let root = current(self.conn, &row.app_id, &RoleName::Root)?;
        root.map(|root| repository::targets_signer(self.ports, row, &root)).transpose()
    }

    /// Signs the targets that the releases now need, where the service signs targets. `None` if there was
    /// nothing to sign. Where a publisher signs, the only effect is that files which the list already names
    /// are offered again.
    ///
    /// It can be repeated. Fails while another call signs, which then does this call's work too. Does nothing
    /// while an offline signature is needed.
    pub async fn sync_targets(&self) -> Result<Option<Task>, RepositoryError> {
        let Some(row) = repositories::by_app(self.conn, self.app)? else { return Ok(None) };
        if row.changes == row.synced_changes && row.revision == row.applied_revision {
            return Ok(None);
        }
        match self.signer(&row)? {
            None => Ok(None),
            Some(TargetsSigner::Publisher) => self.apply_listing_again(&row).await.map(|()| None),
            Some(TargetsSigner::Service) => match self.commit_targets().await {
                Err(why) if why.needs_offline_signature() => {
                    log::warn("signed metadata does not follow the releases", &why);
                    Ok(None)
                }
                result => result,
            },
        }
    }

    /// Like [`sync_targets`](Self::sync_targets), after a change that is recorded and cannot be repeated.
    /// While another call signs it succeeds, because that call does this call's work too.
    pub async fn sync_targets_after_change(&self) -> Result<(), RepositoryError> {
        match self.sync_targets().await {
            Err(error) if error.is_left_to_another_call() => Ok(()),
            result => result.map(drop),
        }
    }

    /// Like [`sync_targets_after_change`](Self::sync_targets_after_change), after a deletion whose files are
    /// already off the list. A failure is logged, and maintenance repeats the attempt.
    pub async fn try_sync_targets(&self) {
        if let Err(failure) = self.sync_targets_after_change().await {
            log::warn("signed metadata does not follow the releases", &failure);
        }
    }

    async fn commit_targets(&self) -> Result<Option<Task>, RepositoryError> {
        let mut first = None;
        for _ in 0..MAX_COMMITS {
            let (task, changes) = self
                .with_lease(async |lease| {
                    let repository = reconcile(lease).await?;
                    let changes = repository.row.changes;
                    if changes == repository.row.synced_changes {
                        return Ok::<_, RepositoryError>((None, changes));
                    }
                    let cause = EventCause::service(EventKind::ListUpdate);
                    let change =
                        MetadataChange::of_service(cause, Renewal::Nothing, "The list follows the releases");
                    let task = match commit_if_needed(lease, &repository, change).await? {
                        CommitOutcome::New(task) => Some(task),
                        CommitOutcome::Nothing(..) => None,
                    };
                    Ok((task, changes))
                })
                .await?;
            first = first.or(task);
            let Some(row) = repositories::by_app(self.conn, self.app)? else { break };
            // `synced_changes` is behind `changes` if files whose digests are not known yet wait for the next
            // call.
            if row.synced_changes < changes || row.synced_changes == row.changes {
                break;
            }
        }
        Ok(first)
    }

    /// A file that was deleted and uploaded again may still be in the list.
    async fn apply_listing_again(&self, row: &repositories::Repository) -> Result<(), RepositoryError> {
        let unlisted = ListingFilter { listing: Some(Listing::Unlisted), ..ListingFilter::default() };
        if row.revision == row.applied_revision && listings::count(self.conn, &row.app_id, &unlisted)? > 0 {
            match self.reapply_listing(row).await {
                // Another list has become current. The call that made it current applies it.
                Err(error) if error.is_left_to_another_call() => return Ok(()),
                result => result?,
            }
        }
        Ok(repositories::set_synced_changes(self.conn, &row.app_id, row.changes)?)
    }
}
