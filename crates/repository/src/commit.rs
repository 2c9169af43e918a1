//! Making metadata current: it is planned, signed, written to the bucket, recorded, and published.
//! `docs/adr/0037` gives the order and the reasons.

mod adopt_from_bucket;
mod make_current;
mod plan;
mod publish;
mod reconcile;
mod repair;

use futures::future::try_join_all;
use spindrift_db::repository_events::RepositoryEvent;
use spindrift_db::{in_transaction, repositories};
use spindrift_service::Ports;
use spindrift_service::changes::{edit, refresh};
use spindrift_trust::{NewFile, RoleName};

use crate::change::MetadataChange;
use crate::error::RepositoryError;
use crate::events::{EventCause, Task};
use crate::lease::RepositoryLease;
use crate::repository::Repository;
use make_current::{NewMetadata, make_current};
use plan::{CommitPlan, plan};

pub(crate) use publish::publish;
pub(crate) use reconcile::reconcile;
pub(crate) use repair::{write_missing, write_missing_of};

/// Makes the change current, together with everything that is due, and records an event. `repository` is the
/// result of [`reconcile`].
pub(crate) async fn commit<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    change: MetadataChange,
) -> Result<Task, RepositoryError> {
    match commit_if_needed(lease, repository, change).await? {
        CommitOutcome::New(task) => Ok(task),
        CommitOutcome::Nothing(event, cause) => {
            let owner = &repository.row.owner_id;
            edit(lease.ports, lease.conn, owner, |conn| {
                let audit = cause.record(conn, owner, &event)?;
                Ok((Task::from(&event), audit))
            })
        }
    }
}

/// The result of a commit.
pub(crate) enum CommitOutcome {
    /// Something new is current.
    New(Task),
    /// There was nothing to sign. Holds the event that would record it, and its cause.
    Nothing(RepositoryEvent, EventCause),
}

/// Like [`commit`], but records no event if there was nothing to sign.
pub(crate) async fn commit_if_needed<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    change: MetadataChange,
) -> Result<CommitOutcome, RepositoryError> {
    let CommitPlan { files, columns } = plan(lease, repository, &change).await?;
    let (app, now) = (lease.app, lease.ports.now());
    let versions = files.iter().map(|file| (file.role.to_string(), file.head.version.to_string()));
    let event = change.cause.event(lease.ports.new_id(), app, change.message, versions, now);
    if files.is_empty() {
        in_transaction(lease.conn, |conn| {
            repositories::set_due(conn, app, columns.due_at)?;
            repositories::set_synced_changes(conn, app, columns.synced_changes)
        })?;
        return Ok(CommitOutcome::Nothing(event, change.cause));
    }
    let task = Task::from(&event);
    write(lease, repository, &files).await?;
    let MetadataChange { old_roots, staged_by, proposal, cause, .. } = change;
    let accepted = staged_by.map(|call| call.event);
    let new = NewMetadata { files, old_roots, columns, accepted, event, cause };
    // A list can be 4 MiB, and the steps that follow read it again.
    drop(proposal);
    let stale = make_current(lease, repository, &new)?;
    drop(new);
    let row = publish(lease).await?;
    lease.app_repository().apply_listing(&row).await?;
    refresh(lease.ports, lease.conn, &repository.row.owner, &stale).await?;
    Ok(CommitOutcome::New(task))
}

/// Step 2: writes the files that nothing refers to yet.
async fn write<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    files: &[NewFile],
) -> Result<(), RepositoryError> {
    let unreferenced = files.iter().filter(|file| !matches!(file.role, RoleName::Root | RoleName::Timestamp));
    let writes =
        unreferenced.map(async |file| lease.put(&repository.row, &file.file(), file.bytes.clone()).await);
    try_join_all(writes).await.map(drop)
}
