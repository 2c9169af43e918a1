//! Metadata that lacks signatures.

use spindrift_core::{Id, Timestamp};

use crate::row::Row;
use crate::{Audited, SqlConn, SqlError, params};

/// A file that lacks signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagedRow {
    /// `root`, `targets` or `channel-<name>`.
    pub role: String,
    pub version: u64,
    /// The version of the list from which it was made. 0 if there was none, and for root.
    pub base: u64,
    pub content: String,
    /// The event of the call that sent it. Files with the same event become current together.
    pub event_id: Id,
    /// When it was sent.
    pub created_at: Timestamp,
}

fn staged(row: &Row<'_>) -> Result<StagedRow, SqlError> {
    Ok(StagedRow {
        role: row.get("role")?,
        version: row.get("version")?,
        base: row.get("base")?,
        content: row.get("content")?,
        event_id: row.get("event_id")?,
        created_at: row.get("created_at")?,
    })
}

/// The staged files of a repository.
pub fn of_app(conn: &impl SqlConn, app: &Id) -> Result<Vec<StagedRow>, SqlError> {
    let rows = conn.run(
        "SELECT role, version, base, content, event_id, created_at FROM repository_staged WHERE app_id = ?1 \
         ORDER BY role",
        &params![app],
    )?;
    rows.all(staged)
}

/// Whether a file of this event is staged.
pub fn is_pending(conn: &impl SqlConn, event: &Id) -> Result<bool, SqlError> {
    let rows = conn.run("SELECT 1 FROM repository_staged WHERE event_id = ?1 LIMIT 1", &params![event])?;
    Ok(rows.exist())
}

/// Stages a file, replacing the role's earlier one.
pub fn put(conn: &impl Audited, app: &Id, file: &StagedRow) -> Result<(), SqlError> {
    conn.execute(
        "INSERT OR REPLACE INTO repository_staged (app_id, role, version, base, content, event_id, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        &params![
            app,
            &file.role,
            file.version,
            file.base,
            &file.content,
            &file.event_id,
            file.created_at,
        ],
    )
}

/// Drops the files of an event.
pub fn delete_of_event(conn: &impl Audited, app: &Id, event: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM repository_staged WHERE app_id = ?1 AND event_id = ?2", &params![app, event])
}

/// Drops everything that a repository has staged.
pub fn delete_all(conn: &impl Audited, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM repository_staged WHERE app_id = ?1", &params![app])
}
