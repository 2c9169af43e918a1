//! Counting devices and downloads that the key-value store has gathered, each exactly once.

use serde::{Deserialize, Serialize};

use crate::downloads::{self, DownloadRow};
use crate::telemetry::{self, SightingRow};
use crate::transaction::in_transaction;
use crate::{SqlConn, SqlError, SqlFailure, params};

/// An entry of the log: a device or a download that waits to be counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GatheredRow {
    /// A device.
    Sighting(SightingRow),
    Download(DownloadRow),
}

/// The number up to which a log has been counted; 0 for a new log.
pub fn folded_up_to(conn: &impl SqlConn, log: &str) -> Result<i64, SqlError> {
    let rows = conn.run("SELECT folded FROM gathered_sightings WHERE log = ?1", &params![log])?;
    Ok(rows.one(|row| row.get("folded"))?.unwrap_or(0))
}

/// Counts the sightings of a log with numbers above `from`, up to `to`. `Ok(false)`: another process has
/// counted some of them in the meantime, and nothing was changed.
pub fn fold(
    conn: &impl SqlConn,
    log: &str,
    from: i64,
    to: i64,
    rows: Vec<GatheredRow>,
) -> Result<bool, SqlError> {
    let (mut sightings, mut downloads) = (Vec::new(), Vec::new());
    for row in rows {
        match row {
            GatheredRow::Sighting(row) => sightings.push(row),
            GatheredRow::Download(row) => downloads.push(row),
        }
    }
    in_transaction(conn, |conn| {
        let moved = conn.run(
            "INSERT INTO gathered_sightings (log, folded) VALUES (?1, ?3) \
             ON CONFLICT (log) DO UPDATE SET folded = excluded.folded WHERE folded = ?2 RETURNING folded",
            &params![log, from, to],
        )?;
        if !moved.exist() {
            return Ok(false);
        }
        if !sightings.is_empty() {
            telemetry::add(conn, &sightings)?;
        }
        downloads::add(conn, &downloads)?;
        Ok(true)
    })
}

/// Runs `name`, which names a log, while no other process names one.
pub fn with_naming_lock<T, E: SqlFailure>(
    conn: &impl SqlConn,
    mut name: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    in_transaction(conn, |_| name())
}
