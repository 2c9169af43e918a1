//! The service's own key for hashing device identifiers, which it generates itself.

use spindrift_core::DeviceHashKey;

use crate::transaction::run_unattended;
use crate::{SqlConn, SqlError, SqlRows, params};

/// Attempts to get the write lock. No caller is kept waiting, because the key is needed only after the
/// answer.
const LOCK_ATTEMPTS: usize = 6;
/// The name of the key in the table of generated secrets.
const NAME: &str = "device_hash_key";

/// The stored key. `Ok(None)` if none has been needed yet.
pub fn load(conn: &impl SqlConn) -> Result<Option<DeviceHashKey>, SqlError> {
    let rows = conn.run("SELECT value FROM generated_secrets WHERE name = ?1", &params![NAME])?;
    key(&rows)
}

/// Stores `generated` as the key unless there already is one; returns the stored key.
pub fn keep_first(conn: &impl SqlConn, generated: &DeviceHashKey) -> Result<DeviceHashKey, SqlError> {
    // The update changes nothing, but without it no row would be returned.
    let rows = run_unattended(
        conn,
        "INSERT INTO generated_secrets (name, value) VALUES (?1, ?2) \
         ON CONFLICT (name) DO UPDATE SET value = value RETURNING value",
        &params![NAME, generated.expose()],
        LOCK_ATTEMPTS,
    )?;
    key(&rows)?.ok_or_else(|| SqlError::Unavailable("the stored key was not returned".to_owned()))
}

fn key(rows: &SqlRows) -> Result<Option<DeviceHashKey>, SqlError> {
    Ok(rows.one(|row| Ok(DeviceHashKey::new(row.text("value")?)))?.flatten())
}
