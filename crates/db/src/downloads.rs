//! Counts of downloads, as clients report them.

use spindrift_core::{Day, DownloadWay, Id, Version};

use crate::row::to_json;
use crate::transaction::run_in_turn;
use crate::{SqlConn, SqlError, params};

/// Most counts that are returned.
const MAX_COUNTS: u32 = 1000;

/// A download of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadSeen {
    /// The application.
    pub app_id: Id,
    /// The day of the report.
    pub day: Day,
    /// The version that was downloaded.
    pub version: Version,
    /// How.
    pub way: DownloadWay,
}

/// Counts a download.
pub fn count(conn: &impl SqlConn, seen: &DownloadSeen) -> Result<(), SqlError> {
    let DownloadSeen { app_id, day, version, way } = seen;
    run_in_turn(
        conn,
        "INSERT INTO telemetry_downloads (day, app_id, version, way, downloads) VALUES (?1, ?2, ?3, ?4, 1) \
         ON CONFLICT (day, app_id, version, way) DO UPDATE SET downloads = downloads + 1",
        &params![*day, app_id, version, way.as_str()],
    )
    .map(|_| ())
}

/// The downloads of applications in a range of days by version and way, the most frequent first.
pub fn counts(
    conn: &impl SqlConn,
    apps: &[Id],
    (first, last): (Day, Day),
) -> Result<Vec<(String, String, u64)>, SqlError> {
    let rows = conn.run(
        "SELECT d.version, d.way, sum(d.downloads) AS downloads FROM json_each(?3) a \
         CROSS JOIN telemetry_downloads d ON d.day BETWEEN ?1 AND ?2 AND d.app_id = a.value \
         GROUP BY d.version, d.way ORDER BY downloads DESC, d.version, d.way LIMIT ?4",
        &params![first, last, to_json(&apps)?, MAX_COUNTS],
    )?;
    rows.all(|row| Ok((row.get("version")?, row.get("way")?, row.get("downloads")?)))
}

/// Deletes at most `limit` counts of days before `first`. Returns how many it has deleted.
pub fn delete_before(conn: &impl SqlConn, first: Day, limit: u32) -> Result<u64, SqlError> {
    let rows = run_in_turn(
        conn,
        "DELETE FROM telemetry_downloads WHERE (day, app_id, version, way) IN (SELECT day, app_id, version, way \
          FROM telemetry_downloads WHERE day < ?1 LIMIT ?2) RETURNING 1",
        &params![first, limit],
    )?;
    Ok(rows.values.len() as u64)
}
