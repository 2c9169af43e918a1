//! Uploads through the service whose files are still arriving. Once all have arrived, an upload session takes
//! over.

use spindrift_core::{Id, Timestamp};

use crate::transaction::{retry_while_locked, run_awaiting_lock};
use crate::{SqlConn, SqlError, params};

/// Inserts an upload before any of its files is staged. From `expires_at` on, it counts as abandoned.
pub fn insert(conn: &impl SqlConn, id: &Id, expires_at: Timestamp) -> Result<(), SqlError> {
    run_awaiting_lock(
        conn,
        "INSERT INTO incoming_uploads (id, expires_at) VALUES (?1, ?2)",
        &params![id, expires_at],
    )
    .map(|_| ())
}

/// Deletes an upload. `Ok(false)`: it did not exist, so its staged files may already have been deleted.
pub fn delete(conn: &impl SqlConn, id: &Id) -> Result<bool, SqlError> {
    let rows =
        retry_while_locked(conn, "DELETE FROM incoming_uploads WHERE id = ?1 RETURNING id", &params![id])?;
    Ok(rows.exist())
}

/// Deletes abandoned uploads, at most `limit`; returns those whose staged objects no longer belong to any
/// upload.
pub fn expire(conn: &impl SqlConn, now: Timestamp, limit: u32) -> Result<Vec<Id>, SqlError> {
    retry_while_locked(
        conn,
        "DELETE FROM incoming_uploads WHERE id IN \
          (SELECT id FROM incoming_uploads WHERE expires_at <= ?1 LIMIT ?2) RETURNING id",
        &params![now, limit],
    )?
    .all(|row| row.get("id"))
}
