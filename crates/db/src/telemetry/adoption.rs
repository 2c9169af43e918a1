//! How versions of an application spread.

use spindrift_core::{Day, Days, Id, Version};

use crate::telemetry_fold::DAYS;
use crate::{SqlConn, SqlError, params};

/// Devices of a day that last reported a version on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionDay {
    pub day: Day,
    /// `None` for all versions that are not among the most used ones.
    pub version: Option<Version>,
    pub devices: u64,
}

/// Counts the devices of an application on these days, by day and by the version that they last reported on
/// that day. Names only the `most` used versions of the whole range, because devices may report arbitrary
/// ones.
pub fn by_day(conn: &impl SqlConn, app: &Id, days: Days, most: u32) -> Result<Vec<VersionDay>, SqlError> {
    let sql = format!(
        "{DAYS}, counts AS MATERIALIZED (SELECT t.day, t.version, count(*) AS n FROM days \
           CROSS JOIN telemetry t ON t.day = days.day AND t.app_id = ?3 \
           WHERE days.day > (SELECT day FROM folded) GROUP BY 1, 2 \
          UNION ALL SELECT t.day, t.version, sum(t.devices) FROM days \
           CROSS JOIN telemetry_days t ON t.day = days.day AND t.app_id = ?3 \
           WHERE days.day <= (SELECT day FROM folded) GROUP BY 1, 2), \
          named AS MATERIALIZED (SELECT version FROM counts GROUP BY version ORDER BY sum(n) DESC, version LIMIT ?4) \
         SELECT c.day, n.version, sum(c.n) AS devices FROM counts c LEFT JOIN named n ON n.version = c.version \
         GROUP BY 1, 2"
    );
    let rows = conn.run(&sql, &params![days.first, days.last, app, most])?;
    rows.all(|row| {
        Ok(VersionDay {
            day: Day::from_number(row.get("day")?),
            version: row.get("version")?,
            devices: row.get("devices")?,
        })
    })
}
