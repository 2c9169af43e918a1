//! Intermediate releases that hold clients back, and the clients that they hold back.

use spindrift_core::{Days, Id, Release, Timestamp, Version};

use crate::offered::visible;
use crate::row::to_json;
use crate::telemetry_fold::{DAYS, RowFilter, last_seen};
use crate::{SqlConn, SqlError, params};

/// Whether the clients of these channels see a newer release than this one, as of a given time. An empty id
/// stands for no channel.
pub fn has_newer(
    conn: &impl SqlConn,
    release: &Release,
    channels: &[Option<&Id>],
    now: Timestamp,
) -> Result<bool, SqlError> {
    let channels: Vec<&str> = channels.iter().map(|id| id.map_or("", Id::as_str)).collect();
    let sql = format!(
        "SELECT 1 FROM offers r WHERE r.app_id = ?1 AND r.version_key > ?2 \
          AND r.channel_id IN (SELECT value FROM json_each(?3)) AND {} LIMIT 1",
        visible("?4")
    );
    let values = params![&release.app_id, release.version.sort_key(), to_json(&channels)?, now];
    Ok(conn.run(&sql, &values)?.exist())
}

/// Devices that were counted, by what they sent last. An empty name stands for none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningDevices {
    pub version: Version,
    /// The names of channel, platform and architecture.
    pub names: [String; 3],
    /// Number of such devices.
    pub devices: u64,
}

/// The devices of an application that were counted on these days.
pub fn running_devices(conn: &impl SqlConn, app: &Id, days: Days) -> Result<Vec<RunningDevices>, SqlError> {
    let sql = format!(
        "{DAYS}, {} SELECT version, channel, platform, arch, count(*) AS devices FROM last_seen GROUP BY 1, 2, 3, 4",
        last_seen(RowFilter::NONE)
    );
    let rows = conn.run(&sql, &params![days.first, days.last, to_json(&[app])?])?;
    rows.all(|row| {
        Ok(RunningDevices {
            version: row.get("version")?,
            names: [row.get("channel")?, row.get("platform")?, row.get("arch")?],
            devices: row.get("devices")?,
        })
    })
}
