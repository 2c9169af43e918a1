//! Counts of downloads, as clients report them.

use spindrift_core::{Day, DownloadWay, Id, Version};

use crate::row::to_json;
use crate::transaction::retry_while_locked;
use crate::{SqlConn, SqlError, params};

/// Maximum number of counts that are returned.
const MAX_COUNTS: u32 = 1000;

/// A download of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownloadEvent {
    pub app_id: Id,
    /// The day of the report.
    pub day: Day,
    pub version: Version,
    /// How it was downloaded.
    pub way: DownloadWay,
}

/// A download as stored in a row: day, application, version, and way.
pub type DownloadRow = (i64, String, String, String);

impl DownloadEvent {
    /// The row that counts it.
    pub fn row(&self) -> DownloadRow {
        let Self { app_id, day, version, way } = self;
        (day.number(), app_id.to_string(), version.to_string(), way.as_str().to_owned())
    }
}

/// Counts downloads on a connection, without changing its settings.
pub(crate) fn add(conn: &impl SqlConn, rows: &[DownloadRow]) -> Result<(), SqlError> {
    if rows.is_empty() {
        return Ok(());
    }
    conn.run(
        "INSERT INTO telemetry_downloads (day, app_id, version, way, downloads) \
         SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'), \
          json_extract(value, '$[3]'), count(*) FROM json_each(?1) WHERE true GROUP BY 1, 2, 3, 4 \
         ON CONFLICT (day, app_id, version, way) DO UPDATE SET downloads = downloads + excluded.downloads",
        &params![to_json(&rows)?],
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
    let rows = retry_while_locked(
        conn,
        "DELETE FROM telemetry_downloads WHERE (day, app_id, version, way) IN (SELECT day, app_id, version, way \
          FROM telemetry_downloads WHERE day < ?1 LIMIT ?2) RETURNING 1",
        &params![first, limit],
    )?;
    Ok(rows.values.len() as u64)
}
