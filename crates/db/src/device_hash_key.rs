//! The key for the identifiers of devices that the service made for itself.

use spindrift_core::{DeviceHashKey, Timestamp};

use crate::transaction::run_waiting;
use crate::{SqlConn, SqlError, SqlRows, telemetry};

/// Its name among the secrets that the service made.
const NAME: &str = "device_hash_key";

/// The key. `Ok(None)`: none was needed so far.
pub fn load(conn: &impl SqlConn) -> Result<Option<DeviceHashKey>, SqlError> {
    let rows = conn.run("SELECT value FROM generated_secrets WHERE name = ?1", &[NAME.into()])?;
    key(&rows)
}

/// Keeps `made` as the key, unless somebody was faster; answers the one that is kept.
pub fn keep_first(
    conn: &impl SqlConn,
    made: &DeviceHashKey,
    now: Timestamp,
) -> Result<DeviceHashKey, SqlError> {
    // The update changes nothing: without it there would be no row to answer.
    let rows = run_waiting(
        conn,
        "INSERT INTO generated_secrets (name, value, created_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (name) DO UPDATE SET value = value RETURNING value",
        &[NAME.into(), made.expose().into(), now.as_millis().into()],
        telemetry::LOCK_ATTEMPTS,
    )?;
    key(&rows)?.ok_or_else(|| SqlError::Unavailable("a key was kept and not answered".to_owned()))
}

fn key(rows: &SqlRows) -> Result<Option<DeviceHashKey>, SqlError> {
    Ok(rows.one(|row| Ok(DeviceHashKey::new(row.text("value")?)))?.flatten())
}
