//! Accepted metadata: the current files, and older ones.

use spindrift_core::{Id, Timestamp};

use crate::row::Row;
use crate::{SqlConn, SqlError, params};

/// A file of metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataRow {
    /// `root`, `targets`, `snapshot`, `timestamp` or `channel-<name>`.
    pub role: String,
    pub version: u64,
    pub expires_at: Timestamp,
    /// The event that recorded it.
    pub event_id: Id,
    /// Its content, as it is sent.
    pub content: String,
}

/// A current file without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetadataHead {
    /// See [`MetadataRow::role`].
    pub role: String,
    pub version: u64,
    pub expires_at: Timestamp,
}

const COLUMNS: &str = "role, version, expires_at, event_id, content";

fn file(row: &Row<'_>) -> Result<MetadataRow, SqlError> {
    Ok(MetadataRow {
        role: row.get("role")?,
        version: row.get("version")?,
        expires_at: row.get("expires_at")?,
        event_id: row.get("event_id")?,
        content: row.get("content")?,
    })
}

/// The current files without their contents.
pub fn heads(conn: &impl SqlConn, app: &Id) -> Result<Vec<MetadataHead>, SqlError> {
    let rows = conn.run(
        "SELECT role, version, expires_at FROM repository_metadata WHERE app_id = ?1 AND is_current = 1",
        &params![app],
    )?;
    rows.all(|row| {
        Ok(MetadataHead {
            role: row.get("role")?,
            version: row.get("version")?,
            expires_at: row.get("expires_at")?,
        })
    })
}

/// The current file of a role.
pub fn current(conn: &impl SqlConn, app: &Id, role: &str) -> Result<Option<MetadataRow>, SqlError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM repository_metadata WHERE app_id = ?1 AND role = ?2 AND is_current = 1"
    );
    conn.run(&sql, &params![app, role])?.one(file)
}

/// One version of a role's metadata.
pub fn by_version(
    conn: &impl SqlConn,
    app: &Id,
    role: &str,
    version: u64,
) -> Result<Option<MetadataRow>, SqlError> {
    let sql =
        format!("SELECT {COLUMNS} FROM repository_metadata WHERE app_id = ?1 AND role = ?2 AND version = ?3");
    conn.run(&sql, &params![app, role, version])?.one(file)
}

/// The versions of a role that are newer than a revision of the repository, oldest first.
pub fn since(conn: &impl SqlConn, app: &Id, role: &str, revision: i64) -> Result<Vec<MetadataRow>, SqlError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM repository_metadata WHERE app_id = ?1 AND role = ?2 AND revision > ?3 ORDER BY version"
    );
    conn.run(&sql, &params![app, role, revision])?.all(file)
}

/// The applications of an owner whose repositories have a current file of a role.
pub fn apps_with_role(conn: &impl SqlConn, owner: &Id, role: &str) -> Result<Vec<Id>, SqlError> {
    let rows = conn.run(
        "SELECT m.app_id FROM repository_metadata m JOIN apps a ON a.id = m.app_id \
         WHERE a.owner_id = ?1 AND m.role = ?2 AND m.is_current = 1",
        &params![owner, role],
    )?;
    rows.all(|row| row.get("app_id"))
}

/// Inserts a file that became current with `revision`. A second one with this role and version is an
/// [`SqlError::Constraint`].
pub fn insert(
    conn: &impl SqlConn,
    app: &Id,
    file: &MetadataRow,
    revision: i64,
    is_current: bool,
    now: Timestamp,
) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO repository_metadata (app_id, role, version, is_current, revision, event_id, expires_at, content, \
          created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        &params![
            app,
            &file.role,
            file.version,
            is_current,
            revision,
            &file.event_id,
            file.expires_at,
            &file.content,
            now,
        ],
    )
}

/// Leaves a role without a current file. The file itself stays.
pub fn retire(conn: &impl SqlConn, app: &Id, role: &str) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE repository_metadata SET is_current = 0 WHERE app_id = ?1 AND role = ?2 AND is_current = 1",
        &params![app, role],
    )
}

/// Deletes all files of a role.
pub fn delete_role(conn: &impl SqlConn, app: &Id, role: &str) -> Result<(), SqlError> {
    conn.execute("DELETE FROM repository_metadata WHERE app_id = ?1 AND role = ?2", &params![app, role])
}

/// Deletes all files of a repository.
pub fn delete_all(conn: &impl SqlConn, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM repository_metadata WHERE app_id = ?1", &params![app])
}
