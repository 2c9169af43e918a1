//! Failures of an application by version.

use spindrift_core::{Days, Id, Version};

use crate::row::to_json;
use crate::telemetry_fold::{DAYS, RowFilter, last_seen};
use crate::{SqlConn, SqlError, params};

/// The failures of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionFailureCount {
    pub version: Version,
    pub groups: u64,
    /// Of the groups, those that are open.
    pub open_groups: u64,
    /// Reports that the groups have counted.
    pub reports: u64,
}

/// The failures of an application by version: at most `limit` versions, those with the latest failures.
pub fn of_app(
    conn: &impl SqlConn,
    owner: &Id,
    app: &Id,
    limit: u32,
) -> Result<Vec<VersionFailureCount>, SqlError> {
    // The alias is not `groups`, which is a keyword: libSQL would rename the column.
    let rows = conn.run(
        "SELECT version, count(*) AS group_count, sum(status = 'open') AS open_groups, sum(event_count) AS reports \
         FROM report_groups WHERE app_id = ?2 AND owner_id = ?1 GROUP BY version \
         ORDER BY max(last_seen) DESC, version LIMIT ?3",
        &params![owner, app, limit],
    )?;
    rows.all(|row| {
        Ok(VersionFailureCount {
            version: row.get("version")?,
            groups: row.get("group_count")?,
            open_groups: row.get("open_groups")?,
            reports: row.get("reports")?,
        })
    })
}

/// The devices of an application that last reported each of these versions, among those seen on these days.
/// Versions without devices are left out.
pub fn devices(
    conn: &impl SqlConn,
    app: &Id,
    days: Days,
    versions: &[&str],
) -> Result<Vec<(String, u64)>, SqlError> {
    let sql = format!(
        "{DAYS}, {} SELECT version, count(*) AS count FROM last_seen \
         WHERE version IN (SELECT value FROM json_each(?4)) GROUP BY version",
        last_seen(RowFilter::NONE)
    );
    let rows = conn.run(&sql, &params![days.first, days.last, to_json(&[app])?, to_json(&versions)?])?;
    rows.all(|row| Ok((row.get("version")?, row.get("count")?)))
}
