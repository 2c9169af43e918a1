//! The events of repositories.

use std::collections::BTreeMap;

use spindrift_core::{Id, Timestamp};

use crate::row::{Row, to_json};
use crate::{SqlConn, SqlError, params};

/// Something that happened to a repository. Its id is also the id of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryEvent {
    pub id: Id,
    pub app_id: Id,
    /// The kind, such as `bootstrap`.
    pub kind: String,
    /// A text for people.
    pub message: String,
    /// The account, roles and versions.
    pub details: BTreeMap<String, String>,
    /// When it happened.
    pub created_at: Timestamp,
}

fn event(row: &Row<'_>) -> Result<RepositoryEvent, SqlError> {
    Ok(RepositoryEvent {
        id: row.get("id")?,
        app_id: row.get("app_id")?,
        kind: row.get("kind")?,
        message: row.get("message")?,
        details: row.json("details")?,
        created_at: row.get("created_at")?,
    })
}

pub fn insert(conn: &impl SqlConn, event: &RepositoryEvent) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO repository_events (id, app_id, kind, message, details, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        &params![
            &event.id,
            &event.app_id,
            &event.kind,
            &event.message,
            to_json(&event.details)?,
            event.created_at
        ],
    )
}

const SELECT: &str = "SELECT id, app_id, kind, message, details, created_at FROM repository_events";

pub fn by_id(conn: &impl SqlConn, id: &Id) -> Result<Option<RepositoryEvent>, SqlError> {
    conn.run(&format!("{SELECT} WHERE id = ?1"), &params![id])?.one(event)
}

/// The newest event of a kind.
pub fn latest(conn: &impl SqlConn, app: &Id, kind: &str) -> Result<Option<RepositoryEvent>, SqlError> {
    let sql = format!("{SELECT} WHERE app_id = ?1 AND kind = ?2 ORDER BY created_at DESC, id DESC LIMIT 1");
    conn.run(&sql, &params![app, kind])?.one(event)
}

pub fn delete_of_app(conn: &impl SqlConn, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM repository_events WHERE app_id = ?1", &params![app])
}
