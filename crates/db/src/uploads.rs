//! Upload sessions.

pub mod claims;
pub mod incoming_uploads;

use std::collections::HashMap;

use spindrift_core::{FileName, Id, SessionFile, SessionState, Starter, Timestamp, UploadSession};

use crate::row::{Row, target_ids, to_json};
use crate::transaction::{retry_while_locked, run_awaiting_lock};
use crate::{SqlConn, SqlError, params};

const STAGED: &str = "staged";
const EXPIRED: &str = "expired";
const RECORDED: &str = "recorded";
const FINISHED: &str = "finished";

fn starter_text(starter: &Starter) -> String {
    match starter {
        Starter::User(id) => format!("user:{id}"),
        Starter::Token(id) => format!("token:{id}"),
        Starter::Publisher(id) => format!("publisher:{id}"),
    }
}

fn starter(text: &str) -> Result<Starter, SqlError> {
    match text.split_once(':') {
        Some(("user", id)) => Ok(Starter::User(Id::from_text(id))),
        Some(("token", id)) => Ok(Starter::Token(Id::from_text(id))),
        Some(("publisher", id)) => Ok(Starter::Publisher(Id::from_text(id))),
        _ => Err(SqlError::Unavailable("an upload session without a starter".to_owned())),
    }
}

pub fn insert(conn: &impl SqlConn, session: &UploadSession) -> Result<(), SqlError> {
    let [channel, platform, arch] = target_ids(&session.target);
    run_awaiting_lock(
        conn,
        "INSERT INTO upload_sessions (id, owner_id, app_id, started_by, channel_id, platform_id, arch_id, metadata, files, \
          state, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        &params![
            &session.id,
            &session.owner_id,
            &session.app_id,
            starter_text(&session.started_by),
            channel,
            platform,
            arch,
            to_json(&session.release)?,
            to_json(&session.files)?,
            STAGED,
            session.expires_at,
        ],
    )
    .map(|_| ())
}

fn session(row: &Row<'_>) -> Result<UploadSession, SqlError> {
    Ok(UploadSession {
        id: row.get("id")?,
        owner_id: row.get("owner_id")?,
        owner: row.get("owner")?,
        app_id: row.get("app_id")?,
        started_by: starter(row.text("started_by")?)?,
        target: row.target()?,
        release: row.json("metadata")?,
        files: row.json("files")?,
        state: match (row.text("state")?, row.get("release_id")?) {
            (STAGED, _) => SessionState::Staged,
            (EXPIRED, _) => SessionState::Expired,
            (RECORDED, Some(release)) => SessionState::Recorded(release),
            (FINISHED, Some(release)) => SessionState::Finished(release),
            _ => return Err(SqlError::Unavailable("an upload session in an unknown state".to_owned())),
        },
        expires_at: row.get("expires_at")?,
        verified: row.json("verified")?,
    })
}

/// The session with this id, of any owner.
pub fn by_id(conn: &impl SqlConn, id: &Id) -> Result<Option<UploadSession>, SqlError> {
    let rows = conn.run(
        "SELECT s.id, s.owner_id, u.username AS owner, s.app_id, s.started_by, s.channel_id, s.platform_id, s.arch_id, s.metadata, \
          s.files, s.state, s.release_id, s.expires_at, s.verified \
         FROM upload_sessions s JOIN users u ON u.id = s.owner_id WHERE s.id = ?1",
        &params![id],
    )?;
    rows.one(session)
}

/// Marks the artifacts as recorded in the release.
pub fn set_recorded(conn: &impl SqlConn, id: &Id, release: &Id) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE upload_sessions SET state = ?2, release_id = ?3 WHERE id = ?1",
        &params![id, RECORDED, release],
    )
}

/// Marks the session as finished.
pub fn set_finished(conn: &impl SqlConn, id: &Id) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "UPDATE upload_sessions SET state = ?2 WHERE id = ?1 AND state = ?3",
        &params![id, FINISHED, RECORDED],
    )
    .map(|_| ())
}

/// Replaces the files of a session that is still staged.
pub fn set_files(conn: &impl SqlConn, id: &Id, files: &[SessionFile]) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE upload_sessions SET files = ?2 WHERE id = ?1 AND state = ?3",
        &params![id, to_json(&files)?, STAGED],
    )
}

/// Keeps a session until the URLs that expire at `expires_at` have expired. `Ok(false)`: it is no longer
/// staged.
pub fn extend(conn: &impl SqlConn, id: &Id, expires_at: Timestamp) -> Result<bool, SqlError> {
    let rows = run_awaiting_lock(
        conn,
        "UPDATE upload_sessions SET expires_at = max(expires_at, ?2) WHERE id = ?1 AND state = ?3 RETURNING id",
        &params![id, expires_at, STAGED],
    )?;
    Ok(rows.exist())
}

/// Deletes a session that has nothing recorded or staged.
pub fn delete_staged(conn: &impl SqlConn, id: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM upload_sessions WHERE id = ?1 AND state = ?2", &params![id, STAGED])
}

/// Marks a session as being published by a call, until `until` at the latest. `Ok(false)`: the session can no
/// longer be published.
pub fn begin_work(conn: &impl SqlConn, id: &Id, until: Timestamp) -> Result<bool, SqlError> {
    let rows = run_awaiting_lock(
        conn,
        "UPDATE upload_sessions SET busy_until = ?2 WHERE id = ?1 AND state = ?3 RETURNING id",
        &params![id, until, STAGED],
    )?;
    Ok(rows.exist())
}

/// Removes the mark set by [`begin_work`], but not the mark of another call.
pub fn end_work(conn: &impl SqlConn, id: &Id, until: Timestamp) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "UPDATE upload_sessions SET busy_until = 0 WHERE id = ?1 AND busy_until = ?2",
        &params![id, until],
    )
    .map(|_| ())
}

/// Stores which properties of a file were compared with its bytes, and extends the work until `until` at the
/// latest.
pub fn set_verified(
    conn: &impl SqlConn,
    id: &Id,
    name: &FileName,
    compared: &str,
    until: Timestamp,
) -> Result<(), SqlError> {
    run_awaiting_lock(
        conn,
        "UPDATE upload_sessions SET verified = json_patch(verified, json_object(?2, ?3)), busy_until = ?4 WHERE id = ?1",
        &params![id, name, compared, until],
    )
    .map(|_| ())
}

/// Expires at most `limit` sessions whose URLs expired by `ended_before` and that no call is publishing at
/// `now`. Returns expired sessions, including earlier ones, that still have staged objects.
pub fn expire(
    conn: &impl SqlConn,
    ended_before: Timestamp,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Id>, SqlError> {
    retry_while_locked(
        conn,
        "UPDATE upload_sessions SET state = ?3 WHERE id IN ( \
           SELECT id FROM upload_sessions WHERE state = ?4 AND expires_at <= ?1 AND busy_until <= ?2 LIMIT ?5)",
        &params![ended_before, now, EXPIRED, STAGED, limit],
    )?;
    ids(conn, EXPIRED, limit)
}

/// Sessions whose release is recorded but whose staged objects may still exist.
pub fn unfinished(conn: &impl SqlConn, limit: u32) -> Result<Vec<Id>, SqlError> {
    ids(conn, RECORDED, limit)
}

/// In a different order each time, so that sessions whose objects cannot be deleted do not block the others.
fn ids(conn: &impl SqlConn, state: &str, limit: u32) -> Result<Vec<Id>, SqlError> {
    let sql = "SELECT id FROM upload_sessions WHERE state = ?1 ORDER BY random() LIMIT ?2";
    conn.run(sql, &params![state, limit])?.all(|row| row.get("id"))
}

/// The uploads among `uploads` that exist in this database. `true`: their staged objects may still be needed
/// at `now`.
pub fn find_known(
    conn: &impl SqlConn,
    uploads: &[&Id],
    now: Timestamp,
) -> Result<HashMap<Id, bool>, SqlError> {
    conn.run(
        "SELECT id, max(is_needed) AS is_needed FROM (\
          SELECT id, state <> ?2 AS is_needed FROM upload_sessions WHERE id IN (SELECT value FROM json_each(?1)) \
          UNION ALL \
          SELECT id, expires_at > ?3 FROM incoming_uploads WHERE id IN (SELECT value FROM json_each(?1))) GROUP BY id",
        &params![to_json(&uploads)?, FINISHED, now],
    )?
    .all(|row| Ok((row.get("id")?, row.get("is_needed")?)))
}

/// Deletes a session whose staged objects are gone.
pub fn delete_expired(conn: &impl SqlConn, id: &Id) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "DELETE FROM upload_sessions WHERE id = ?1 AND state = ?2",
        &params![id, EXPIRED],
    )
    .map(|_| ())
}

/// Deletes finished sessions whose URLs expired before `before`. Until then, a repeated completion can be
/// answered.
pub fn delete_finished(conn: &impl SqlConn, before: Timestamp) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "DELETE FROM upload_sessions WHERE state = ?1 AND expires_at < ?2",
        &params![FINISHED, before],
    )
    .map(|_| ())
}
