//! Leases for work that only one process may do at a time.

use spindrift_core::Timestamp;

use crate::transaction::{retry_while_locked, run_awaiting_lock};
use crate::{SqlConn, SqlError, params};

/// Takes the lease until `until`. `Ok(false)`: another holder has it at `now`.
pub fn take(
    conn: &impl SqlConn,
    name: &str,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, SqlError> {
    let rows = run_awaiting_lock(
        conn,
        "INSERT INTO leases (name, holder, expires_at) VALUES (?1, ?2, ?4) \
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at \
          WHERE leases.expires_at <= ?3 RETURNING holder",
        &params![name, holder, now, until],
    )?;
    Ok(rows.exist())
}

/// Takes the lease until `until`, even from another holder.
pub fn take_over(conn: &impl SqlConn, name: &str, holder: &str, until: Timestamp) -> Result<(), SqlError> {
    run_awaiting_lock(
        conn,
        "INSERT INTO leases (name, holder, expires_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at",
        &params![name, holder, until],
    )
    .map(|_| ())
}

/// Whether any holder has the lease at `now`.
pub fn is_held(conn: &impl SqlConn, name: &str, now: Timestamp) -> Result<bool, SqlError> {
    let sql = "SELECT 1 FROM leases WHERE name = ?1 AND expires_at > ?2";
    Ok(conn.run(sql, &params![name, now])?.exist())
}

/// Whether this holder still has the lease, so that no other holder has taken it over.
pub fn is_held_by(conn: &impl SqlConn, name: &str, holder: &str) -> Result<bool, SqlError> {
    let sql = "SELECT 1 FROM leases WHERE name = ?1 AND holder = ?2";
    Ok(conn.run(sql, &params![name, holder])?.exist())
}

/// Releases the lease, unless another holder has taken it over.
pub fn release(conn: &impl SqlConn, name: &str, holder: &str) -> Result<(), SqlError> {
    retry_while_locked(conn, "DELETE FROM leases WHERE name = ?1 AND holder = ?2", &params![name, holder])
        .map(|_| ())
}
