//! Step 3: makes the new files current in one transaction.

use spindrift_core::{Id, Listing, Timestamp};
use spindrift_db::changes::{self, Stale, Subject};
use spindrift_db::listings;
use spindrift_db::repositories::{self, RevisionColumns};
use spindrift_db::repository_events::{self, RepositoryEvent};
use spindrift_db::repository_metadata::{self, MetadataRow};
use spindrift_db::repository_staged;
use spindrift_db::{Audit, Audited, SqlConn};
use spindrift_service::changes::edit;
use spindrift_service::{Ports, log};
use spindrift_trust::{NewFile, RoleName};

use crate::apply_listing::leaving;
use crate::error::RepositoryError;
use crate::events::{Cause, DROPPED_BY, DROPPED_ROLE, DROPPED_TASK, EventKind};
use crate::lease::RepositoryLease;
use crate::repository::Repository;

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
    pub(crate) cause: Cause,
}

/// Makes `new` current in place of the metadata of `repository`, and stops offering files that it does not
/// list. Returns the records that have to be derived again. Fails if `repository` is no longer current.
pub(crate) fn make_current<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    new: &NewMetadata,
) -> Result<Stale, RepositoryError> {
    let (conn, now) = (lease.conn, lease.ports.now());
    let leaving = leaving(conn, lease.app, &new.files)?;
    if leaving.unlisted.is_empty() {
        edit(lease.ports, conn, &repository.row.owner_id, |conn| {
            Ok::<_, RepositoryError>(((), insert_current(lease.ports, conn, repository, new)?))
        })?;
        return Ok(Stale::default());
    }
    let subject = Subject::Releases(lease.app, &leaving.versions);
    let committed = changes::commit(conn, &repository.row.owner_id, subject, now, |change| {
        let audit = insert_current(lease.ports, change, repository, new)?;
        listings::set_listing(change, &leaving.unlisted, Listing::Unlisted)?;
        Ok::<_, RepositoryError>(((), audit))
    })?;
    log::change(committed.added.as_ref());
    Ok(committed.stale)
}

fn insert_current(
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
        let role = file.role.to_string();
        match file.role {
            // The file has no version in its name, so older ones can never be read again.
            RoleName::Timestamp => repository_metadata::delete_role(conn, app, &role)?,
            _ => repository_metadata::retire(conn, app, &role)?,
        }
        insert(conn, file, &new.event, revision, true, now)?;
    }
    let has_lists = new.files.iter().any(|file| file.role.is_list());
    if !has_lists && repository.row.applied_revision == from {
        listings::set_applied_revision(conn, app, revision)?;
    }
    if let Some(event) = &new.accepted {
        repository_staged::delete_of_event(conn, app, event)?;
    }
    drop_outdated(ports, conn, app, new)?;
    Ok(audit)
}

/// Inserts roots that are no longer current.
pub(crate) fn insert_old_roots(
    conn: &impl SqlConn,
    roots: &[NewFile],
    event: &RepositoryEvent,
    revision: i64,
    now: Timestamp,
) -> Result<(), RepositoryError> {
    roots.iter().try_for_each(|root| insert(conn, root, event, revision, false, now))
}

fn insert(
    conn: &impl SqlConn,
    file: &NewFile,
    event: &RepositoryEvent,
    revision: i64,
    is_current: bool,
    now: Timestamp,
) -> Result<(), RepositoryError> {
    let row = MetadataRow {
        role: file.role.to_string(),
        version: file.head.version.number(),
        expires_at: file.head.expires.time(),
        event_id: event.id.clone(),
        content: String::from_utf8(file.bytes.clone()).map_err(|_| RepositoryError::corrupt("file"))?,
    };
    Ok(repository_metadata::insert(conn, &event.app_id, &row, revision, is_current, now)?)
}

/// Drops staged files that are based on a root or list which is no longer current, and those that were sent
/// with them.
fn drop_outdated(
    ports: &impl Ports,
    conn: &impl Audited,
    app: &Id,
    new: &NewMetadata,
) -> Result<(), RepositoryError> {
    for staged in repository_staged::of_app(conn, app)? {
        let is_of_role = |file: &NewFile| file.role.to_string() == staged.role;
        if new.files.iter().any(is_of_role) && repository_staged::is_pending(conn, &staged.event_id)? {
            repository_staged::delete_of_event(conn, app, &staged.event_id)?;
            let changed = if staged.role == "root" { "root has" } else { "targets have" };
            let message = format!("{} v{} was dropped: {changed} changed", staged.role, staged.version);
            let details = [
                (DROPPED_TASK.to_owned(), staged.event_id.to_string()),
                (DROPPED_ROLE.to_owned(), staged.role),
                (DROPPED_BY.to_owned(), new.event.id.to_string()),
            ];
            let cause = Cause::service(EventKind::StagedDropped);
            repository_events::insert(
                conn,
                &cause.event(ports.new_id(), app, message, details, ports.now()),
            )?;
        }
    }
    Ok(())
}
