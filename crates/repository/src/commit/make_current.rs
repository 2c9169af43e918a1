//! Step 3: makes the new files current in one transaction.

use spindrift_core::{Id, Listing};
use spindrift_db::changes::{self, Stale, Subject};
use spindrift_db::listings;
use spindrift_db::repositories::{self, RevisionColumns};
use spindrift_db::repository_events::RepositoryEvent;
use spindrift_db::repository_staged;
use spindrift_db::{Audit, Audited};
use spindrift_service::changes::edit;
use spindrift_service::{Ports, log};
use spindrift_trust::NewFile;

use crate::apply_listing::pending_removals;
use crate::error::RepositoryError;
use crate::events::EventCause;
use crate::files::{insert_current, insert_old_roots};
use crate::lease::RepositoryLease;
use crate::repository::Repository;
use crate::staged::drop_outdated;

/// Metadata that becomes current.
pub(crate) struct NewMetadata {
    /// Files that replace those of their roles.
    pub(crate) files: Vec<NewFile>,
    /// Roots before the one among `files`.
    pub(crate) old_roots: Vec<NewFile>,
    /// The other columns that change.
    pub(crate) columns: RevisionColumns,
    /// The event of staged files that are accepted by this.
    pub(crate) accepted: Option<Id>,
    pub(crate) event: RepositoryEvent,
    pub(crate) cause: EventCause,
}

/// Makes `new` current in place of the metadata of `repository`, and stops offering files that it does not
/// list. Returns the records that have to be derived again. Fails if `repository` is no longer current.
pub(crate) fn make_current<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    new: &NewMetadata,
) -> Result<Stale, RepositoryError> {
    let (conn, now) = (lease.conn, lease.ports.now());
    let removals = pending_removals(conn, lease.app, &new.files)?;
    if removals.unlisted.is_empty() {
        edit(lease.ports, conn, &repository.row.owner_id, |conn| {
            Ok::<_, RepositoryError>(((), record(lease.ports, conn, repository, new)?))
        })?;
        return Ok(Stale::default());
    }
    let subject = Subject::Releases(lease.app, &removals.versions);
    let committed = changes::commit(conn, &repository.row.owner_id, subject, now, |change| {
        let audit = record(lease.ports, change, repository, new)?;
        listings::set_listing(change, &removals.unlisted, Listing::Unlisted)?;
        Ok::<_, RepositoryError>(((), audit))
    })?;
    log::change(committed.added.as_ref());
    Ok(committed.stale)
}

fn record(
    ports: &impl Ports,
    conn: &impl Audited,
    repository: &Repository,
    new: &NewMetadata,
) -> Result<Audit, RepositoryError> {
    let (app, now) = (&repository.row.app_id, ports.now());
    repository.ensure(conn)?;
    let audit = new.cause.record(conn, &repository.row.owner_id, &new.event)?;
    let from = repository.row.revision;
    let Some(revision) = repositories::raise_revision(conn, app, from, &new.columns)? else {
        return Err(RepositoryError::Overtaken);
    };
    insert_old_roots(conn, &new.old_roots, &new.event, revision, now)?;
    for file in &new.files {
        insert_current(conn, file, &new.event, revision, now)?;
    }
    let has_lists = new.files.iter().any(|file| file.role.is_list());
    if !has_lists && repository.row.applied_revision == from {
        listings::set_applied_revision(conn, app, revision)?;
    }
    if let Some(event) = &new.accepted {
        repository_staged::delete_of_event(conn, app, event)?;
    }
    drop_outdated(ports, conn, &new.files, &new.event)?;
    Ok(audit)
}
