//! Proofs that are good once: the identity tokens of jobs, and challenges that a passkey answered.

use spindrift_core::Timestamp;

use crate::transaction::{retry_while_locked, run_awaiting_lock};
use crate::{SqlConn, SqlError, params};

/// Uses a proof. `Ok(false)`: it was used before. It changes nothing that an owner has, so it leaves no entry in
/// the audit log.
pub fn use_once(conn: &impl SqlConn, digest: &str, expires_at: Timestamp) -> Result<bool, SqlError> {
    let sql = "INSERT INTO used_proofs (digest, expires_at) VALUES (?1, ?2) \
               ON CONFLICT (digest) DO NOTHING RETURNING digest";
    Ok(run_awaiting_lock(conn, sql, &params![digest, expires_at])?.exist())
}

/// Forgets proofs that had expired before `before`, at most `max`.
pub fn delete_expired(conn: &impl SqlConn, before: Timestamp, max: u32) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "DELETE FROM used_proofs WHERE digest IN (SELECT digest FROM used_proofs WHERE expires_at < ?1 LIMIT ?2)",
        &params![before, max],
    )
    .map(|_| ())
}
