//! Folders of static answers: which are stale, and which attempts write them. See
//! `docs/adr/0019-projections.md` for the rules.
//!
//! A folder is `{owner}/{app}/{channel}/{platform}/{arch}`, as in the keys of its objects.

use spindrift_core::Timestamp;

use crate::row::to_json;
use crate::transaction::retry_while_locked;
use crate::{SqlConn, SqlError, params};

/// Marks these folders as changed. Call it in the transaction of the change.
pub fn mark(conn: &impl SqlConn, folders: &[String], now: Timestamp) -> Result<(), SqlError> {
    if folders.is_empty() {
        return Ok(());
    }
    conn.execute(
        "INSERT INTO projections (folder, changed) SELECT value, ?2 FROM json_each(?1) WHERE true \
         ON CONFLICT DO UPDATE SET changed = max(projections.changed + 1, excluded.changed)",
        &params![to_json(&folders)?, now],
    )
}

/// The stale folders of an owner, or of one application (`{owner}/{app}`), most recently changed first; at
/// most `limit`.
pub fn behind(conn: &impl SqlConn, within: &str, limit: u32) -> Result<Vec<String>, SqlError> {
    // '0' is the character after '/'.
    let rows = conn.run(
        "SELECT folder FROM projections WHERE folder > ?1 || '/' AND folder < ?1 || '0' AND written <> changed \
         ORDER BY changed DESC LIMIT ?2",
        &params![within, limit],
    )?;
    rows.all(|row| row.get("folder"))
}

/// The folders of all owners that are stale, that were made with something other than `made_with`, or that
/// were last compared with the storage before `before`; at most `limit`.
pub fn due(
    conn: &impl SqlConn,
    made_with: i64,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<String>, SqlError> {
    let rows = conn.run(
        "SELECT folder FROM projections WHERE written <> changed OR made_with <> ?1 OR checked_at < ?2 \
         ORDER BY written = changed, checked_at LIMIT ?3",
        &params![made_with, before, limit],
    )?;
    rows.all(|row| row.get("folder"))
}

/// One attempt to write a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectionAttempt {
    pub folder: String,
    /// The name of the attempt as a writer, unique to it.
    pub writer: String,
    /// When it began.
    pub begun: Timestamp,
    /// The number of the change that it writes.
    pub changed: i64,
}

/// Starts an attempt. None of its requests arrives at the storage after `until`. `Ok(None)` if there is no
/// such folder.
///
/// Attempts may start at any time. The first of several becomes the folder's writer. For the others, the time
/// until which they may write is stored.
pub fn begin(
    conn: &impl SqlConn,
    folder: &str,
    writer: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<ProjectionAttempt>, SqlError> {
    let rows = retry_while_locked(
        conn,
        "UPDATE projections SET writer = iif(writer_until <= ?3, ?2, writer), \
          writer_until = iif(writer_until <= ?3, ?4, writer_until), \
          others_until = iif(writer_until <= ?3, others_until, ?4) \
         WHERE folder = ?1 RETURNING changed",
        &params![folder, writer, now, until],
    )?;
    let attempt = |changed| ProjectionAttempt {
        folder: folder.to_owned(),
        writer: writer.to_owned(),
        begun: now,
        changed,
    };
    rows.one(|row| row.get("changed").map(attempt))
}

/// Ends an attempt for which every storage call was answered. The folder counts as written if this attempt
/// was its writer and no other attempt can have written since it began. Returns whether the folder has
/// changed in the meantime.
pub fn finish(conn: &impl SqlConn, attempt: &ProjectionAttempt, made_with: i64) -> Result<bool, SqlError> {
    let rows = retry_while_locked(
        conn,
        "UPDATE projections SET written = iif(writer = ?2 AND others_until <= ?3, ?4, written), \
          made_with = iif(writer = ?2 AND others_until <= ?3, ?5, made_with), \
          checked_at = iif(writer = ?2 AND others_until <= ?3, ?3, checked_at), \
          writer_until = iif(writer = ?2, 0, writer_until), writer = iif(writer = ?2, '', writer) \
         WHERE folder = ?1 RETURNING changed <> ?4 AS has_changed",
        &params![&attempt.folder, &attempt.writer, attempt.begun, attempt.changed, made_with],
    )?;
    Ok(rows.one(|row| row.get("has_changed"))?.unwrap_or(false))
}

/// Like [`finish`], for an attempt that left no objects: deletes the row of the folder if it would count as
/// written. Returns whether it did.
pub fn forget(conn: &impl SqlConn, attempt: &ProjectionAttempt) -> Result<bool, SqlError> {
    let rows = retry_while_locked(
        conn,
        "DELETE FROM projections WHERE folder = ?1 AND writer = ?2 AND others_until <= ?3 AND changed = ?4 \
         RETURNING 1",
        &params![&attempt.folder, &attempt.writer, attempt.begun, attempt.changed],
    )?;
    Ok(rows.exist())
}
