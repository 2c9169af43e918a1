//! Logins of users. Each issued login token has a row, until it ends.

use spindrift_core::{Id, Login, Timestamp};

use crate::row::Row;
use crate::transaction::{retry_while_locked, run_awaiting_lock};
use crate::{Audited, SqlConn, SqlError, params};

/// Maximum number of logins in a list.
const MAX_LISTED: u32 = 100;

fn login(row: &Row<'_>) -> Result<Login, SqlError> {
    Ok(Login {
        id: row.get("id")?,
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
        last_used_at: row.get("last_used_at")?,
        proved_at: row.get("proved_at")?,
    })
}

/// Inserts a login. It changes nothing that an owner has, so it leaves no entry in the audit log.
pub fn insert(conn: &impl SqlConn, user: &Id, login: &Login) -> Result<(), SqlError> {
    run_awaiting_lock(
        conn,
        "INSERT INTO logins (id, user_id, created_at, expires_at, proved_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        &params![&login.id, user, login.created_at, login.expires_at, login.proved_at],
    )
    .map(|_| ())
}

/// Whether the user has this login. `Ok(false)`: it has ended.
pub fn exists(conn: &impl SqlConn, user: &Id, id: &Id) -> Result<bool, SqlError> {
    Ok(conn.run("SELECT 1 FROM logins WHERE id = ?1 AND user_id = ?2", &params![id, user])?.exist())
}

/// The user's logins that have not expired, the latest first, at most 100.
pub fn list(conn: &impl SqlConn, user: &Id, now: Timestamp) -> Result<Vec<Login>, SqlError> {
    let rows = conn.run(
        "SELECT id, created_at, expires_at, last_used_at, proved_at FROM logins \
         WHERE user_id = ?1 AND expires_at > ?2 ORDER BY created_at DESC, id DESC LIMIT ?3",
        &params![user, now, MAX_LISTED],
    )?;
    rows.all(login)
}

/// Records that a login, and so its user, was active in the hour that begins at `hour`, unless that hour or a
/// later one is already recorded. The user's record outlasts the login.
pub fn record_use(conn: &impl SqlConn, id: &Id, hour: Timestamp) -> Result<(), SqlError> {
    for sql in [
        "UPDATE users SET last_seen_at = ?2 \
         WHERE id = (SELECT user_id FROM logins WHERE id = ?1) AND coalesce(last_seen_at, 0) < ?2",
        "UPDATE logins SET last_used_at = ?2 WHERE id = ?1 AND coalesce(last_used_at, 0) < ?2",
    ] {
        conn.run(sql, &params![id, hour])?;
    }
    Ok(())
}

/// Records that the user has proved who they are.
pub fn record_proof(conn: &impl SqlConn, id: &Id, now: Timestamp) -> Result<(), SqlError> {
    run_awaiting_lock(conn, "UPDATE logins SET proved_at = ?2 WHERE id = ?1", &params![id, now]).map(|_| ())
}

/// Ends a login of the user. `Ok(false)`: the user has no such login. Logging out leaves no entry in the audit
/// log.
pub fn end(conn: &impl SqlConn, user: &Id, id: &Id) -> Result<bool, SqlError> {
    let sql = "DELETE FROM logins WHERE id = ?1 AND user_id = ?2 RETURNING id";
    Ok(run_awaiting_lock(conn, sql, &params![id, user])?.exist())
}

/// Ends the logins of the user except one.
pub fn end_others(conn: &impl Audited, user: &Id, except: Option<&Id>) -> Result<(), SqlError> {
    conn.execute("DELETE FROM logins WHERE user_id = ?1 AND id IS NOT ?2", &params![user, except])
}

/// Deletes logins that have expired, at most `max`, and returns their number.
pub fn delete_expired(conn: &impl SqlConn, now: Timestamp, max: u32) -> Result<u64, SqlError> {
    let sql =
        "DELETE FROM logins WHERE id IN (SELECT id FROM logins WHERE expires_at <= ?1 LIMIT ?2) RETURNING id";
    let rows = retry_while_locked(conn, sql, &params![now, max])?;
    Ok(rows.values.len() as u64)
}
