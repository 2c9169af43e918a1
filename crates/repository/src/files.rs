//! The rows of metadata files.

use spindrift_core::{Id, Timestamp};
use spindrift_db::SqlConn;
use spindrift_db::repository_events::RepositoryEvent;
use spindrift_db::repository_metadata::{self, MetadataRow};
use spindrift_trust::{NewFile, Role, RoleName, Signed};

use crate::error::RepositoryError;

/// The current file of a role.
pub(crate) fn current<R: Role>(
    conn: &impl SqlConn,
    app: &Id,
    role: &RoleName,
) -> Result<Option<Signed<R>>, RepositoryError> {
    let row = repository_metadata::current(conn, app, &role.to_string())?;
    row.map(|row| read(role, &row.content)).transpose()
}

/// Reads metadata that was validated before it was stored.
pub(crate) fn read<R: Role>(role: &RoleName, content: &str) -> Result<Signed<R>, RepositoryError> {
    Signed::read(content.as_bytes()).map_err(|error| RepositoryError::corrupt(&format!("{role} ({error})")))
}

/// Inserts a file in place of the current one of its role.
pub(crate) fn insert_current(
    conn: &impl SqlConn,
    file: &NewFile,
    event: &RepositoryEvent,
    revision: i64,
    now: Timestamp,
) -> Result<(), RepositoryError> {
    let role = file.role.to_string();
    match file.role {
        // The file has no version in its name, so older ones can never be read again.
        RoleName::Timestamp => repository_metadata::delete_role(conn, &event.app_id, &role)?,
        _ => repository_metadata::retire(conn, &event.app_id, &role)?,
    }
    insert(conn, file, event, revision, true, now)
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
