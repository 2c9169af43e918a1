//! Counting devices.

pub mod adoption;
pub mod device_hash_key;
pub mod downloads;
pub mod gathered_sightings;
pub mod overview;
pub mod telemetry_fold;

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use spindrift_core::{ArchName, ChannelName, Day, Id, PlatformName, Version};

use self::downloads::DownloadEvent;
use crate::row::to_json;
use crate::telemetry_fold::{DAYS, RowFilter, by_fold, last_seen};
use crate::transaction::retry_while_locked;
use crate::{SqlConn, SqlError, SqlValue, params};

/// How long a connection waits for the write lock, in milliseconds of SQLite's `busy_timeout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockWait {
    /// A tenth of a second, because callers wait with it. Writes of other connections rarely take that long.
    Short,
    /// Five seconds, because no caller waits. A new connection of Spin waits as long.
    Long,
}

impl LockWait {
    const fn pragma(self) -> &'static str {
        match self {
            Self::Short => "PRAGMA busy_timeout = 100",
            Self::Long => "PRAGMA busy_timeout = 5000",
        }
    }
}

/// Maximum number of entries in a distribution, and of known versions that are returned.
const MAX_ENTRIES: u32 = 1000;

/// The data that a device reports with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    pub app_id: Id,
    /// The day of the request.
    pub day: Day,
    /// The number that represents the device; see [`spindrift_core::DeviceId::number`].
    pub device: i64,
    pub version: Version,
    /// Its channel, if the owner uses channels.
    pub channel: Option<ChannelName>,
    /// Its platform, if the owner uses platforms.
    pub platform: Option<PlatformName>,
    /// Its architecture, if the owner uses architectures.
    pub arch: Option<ArchName>,
    /// Whether there was no newer version for it.
    pub is_latest: bool,
}

/// Makes commits of this connection survive a killed process, but not a power cut: the last commits may then
/// be lost, but the database stays intact. Without this, every device costs a synced write.
const FAST_COMMIT: &str = "PRAGMA synchronous = NORMAL";

/// Counts requests of devices, and downloads, in one go. The last request of a day determines what the device
/// ran on that day.
pub fn count(
    conn: &impl SqlConn,
    seen: &[Sighting],
    downloads: &[DownloadEvent],
    lock_wait: LockWait,
) -> Result<(), SqlError> {
    // libSQL may refuse these pragmas, because its server decides.
    for pragma in [FAST_COMMIT, lock_wait.pragma()] {
        let _ = conn.run(pragma, &[]);
    }
    let rows: Vec<_> = seen.iter().map(Sighting::row).collect();
    if downloads.is_empty() {
        return add(conn, &rows);
    }
    let downloads: Vec<_> = downloads.iter().map(DownloadEvent::row).collect();
    // Unlike other transactions, this one waits for the lock only as long as `lock_wait` says.
    conn.run("BEGIN IMMEDIATE", &[])?;
    let written = add(conn, &rows).and_then(|()| downloads::add(conn, &downloads));
    let written = written.and_then(|()| conn.run("COMMIT", &[]).map(drop));
    if written.is_err() {
        let _ = conn.run("ROLLBACK", &[]);
    }
    written
}

/// Counts requests of devices on a connection, without changing its settings. Later rows win.
pub(crate) fn add(conn: &impl SqlConn, rows: &[SightingRow]) -> Result<(), SqlError> {
    conn.run(
        "WITH sightings AS MATERIALIZED (SELECT json_extract(value, '$[0][0]') AS day, \
          json_extract(value, '$[0][1]') AS app_id, json_extract(value, '$[0][2]') AS version, \
          json_extract(value, '$[0][3]') AS channel, json_extract(value, '$[0][4]') AS platform, \
          json_extract(value, '$[0][5]') AS arch, json_extract(value, '$[0][6]') AS is_latest, \
          json_extract(value, '$[0][7]') AS requests, json_extract(value, '$[1]') AS devices FROM json_each(?1)) \
         INSERT INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests) \
         SELECT s.day, s.app_id, device.value, s.version, s.channel, s.platform, s.arch, s.is_latest, s.requests \
          FROM sightings s CROSS JOIN json_each(s.devices) device WHERE true \
         ON CONFLICT (day, app_id, device) DO UPDATE SET version = excluded.version, \
          channel = excluded.channel, platform = excluded.platform, arch = excluded.arch, \
          is_latest = excluded.is_latest, requests = requests + excluded.requests",
        &params![to_json(&grouped(rows))?],
    )
    .map(|_| ())
}

/// The devices by what they have in common: day, application, version, channel, platform, architecture,
/// whether the version is the latest, and the number of requests of each. The database reads that once for
/// all of them.
fn grouped(rows: &[SightingRow]) -> Vec<(impl Serialize, Vec<&i64>)> {
    let mut devices = BTreeMap::new();
    for row in rows {
        let (day, app, device, ..) = row;
        let (last, requests) = devices.entry((day, app, device)).or_insert((row, 0_u64));
        (*last, *requests) = (row, *requests + 1);
    }
    let mut groups = HashMap::new();
    for ((day, app, device), (row, requests)) in devices {
        let (.., version, channel, platform, arch, is_latest) = row;
        let common = (day, app, version, channel, platform, arch, is_latest, requests);
        groups.entry(common).or_insert_with(Vec::new).push(device);
    }
    groups.into_iter().collect()
}

/// A sighting as stored in a row: day, application, device, version, channel, platform, architecture, and
/// whether the version is the latest.
pub type SightingRow = (i64, String, i64, String, String, String, String, bool);

impl Sighting {
    /// The row that counts it.
    pub fn row(&self) -> SightingRow {
        (
            self.day.number(),
            self.app_id.to_string(),
            self.device,
            self.version.to_string(),
            self.channel.as_ref().map(ToString::to_string).unwrap_or_default(),
            self.platform.as_ref().map(ToString::to_string).unwrap_or_default(),
            self.arch.as_ref().map(ToString::to_string).unwrap_or_default(),
            self.is_latest,
        )
    }
}

/// Which requests to count; `None` means any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    pub first: Day,
    pub last: Day,
    /// Of these applications.
    pub apps: Vec<Id>,
    pub channels: Option<Vec<ChannelName>>,
    pub platforms: Option<Vec<PlatformName>>,
    pub archs: Option<Vec<ArchName>>,
}

impl Selection {
    fn params(&self) -> Result<Vec<SqlValue>, SqlError> {
        Ok(Vec::from(params![
            self.first,
            self.last,
            to_json(&self.apps)?,
            self.channels.as_ref().map(to_json).transpose()?,
            self.platforms.as_ref().map(to_json).transpose()?,
            self.archs.as_ref().map(to_json).transpose()?
        ]))
    }
}

const FILTER: RowFilter =
    RowFilter { selects: FILTERED, is_open: "?4 IS NULL AND ?5 IS NULL AND ?6 IS NULL" };
const FILTERED: &str = "(?4 IS NULL OR t.channel IN (SELECT value FROM json_each(?4))) \
 AND (?5 IS NULL OR t.platform IN (SELECT value FROM json_each(?5))) \
 AND (?6 IS NULL OR t.arch IN (SELECT value FROM json_each(?6)))";

/// The numbers of one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayCount {
    pub day: Day,
    pub requests: u64,
    /// Devices.
    pub clients: u64,
    /// Devices for which there was no newer version.
    pub latest: u64,
}

/// The numbers for every day of the selection, oldest first, including days without requests.
pub fn daily(conn: &impl SqlConn, selection: &Selection) -> Result<Vec<DayCount>, SqlError> {
    // One row stands for one device, so counting devices needs no sorting.
    let counts = |table: &str, devices: &str| {
        format!(
            "SELECT json_array(coalesce(sum(t.requests), 0), coalesce(sum({devices}), 0), coalesce(sum({devices} * t.is_latest), 0)) \
             FROM json_each(?3) a CROSS JOIN {table} t ON t.day = days.day AND t.app_id = a.value WHERE {FILTERED}"
        )
    };
    let counts = by_fold(&counts("telemetry", "1"), &counts("telemetry_days", "t.devices"));
    let sql = format!("{DAYS} SELECT days.day, {counts} AS counts FROM days ORDER BY 1");
    let rows = conn.run(&sql, &selection.params()?)?;
    rows.all(|row| {
        let (requests, clients, latest) = row.json("counts")?;
        Ok(DayCount { day: Day::from_number(row.get("day")?), requests, clients, latest })
    })
}

/// A value and the number of devices that have it.
pub type ValueCount = (String, u64);

/// The devices of a selection, each counted once with what it reported on its last day. Distributions list
/// the most frequent values first, and at most 1000 values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientFigures {
    /// Devices.
    pub total: u64,
    /// Devices for which there was no newer version.
    pub latest: u64,
    /// Applications with at least one device.
    pub apps: u64,
    /// Different versions, including those left out of `versions`.
    pub version_count: u64,
    pub versions: Vec<ValueCount>,
    /// By platform; an empty text means no platform.
    pub platforms: Vec<ValueCount>,
    /// By architecture; an empty text means no architecture.
    pub archs: Vec<ValueCount>,
    /// By channel; an empty text means no channel.
    pub channels: Vec<ValueCount>,
}

/// Counts the devices of a selection.
pub fn clients(conn: &impl SqlConn, selection: &Selection) -> Result<ClientFigures, SqlError> {
    let rows = conn.run(&clients_sql(selection.first == selection.last), &selection.params()?)?;
    let figures: Vec<(String, String, u64)> =
        rows.all(|row| Ok((row.get("kind")?, row.get("value")?, row.get("count")?)))?;
    let mut clients = ClientFigures::default();
    for (kind, value, count) in figures {
        match kind.as_str() {
            "total" => clients.total = count,
            "latest" => clients.latest = count,
            "apps" => clients.apps = count,
            "version_count" => clients.version_count = count,
            "version" => clients.versions.push((value, count)),
            "platform" => clients.platforms.push((value, count)),
            "arch" => clients.archs.push((value, count)),
            _ => clients.channels.push((value, count)),
        }
    }
    Ok(clients)
}

fn clients_sql(one_day: bool) -> String {
    const REPORT: &str = "version, channel, platform, arch, is_latest";
    let seen = if one_day {
        // Each row stands for a different device.
        let on_day = |table: &str, devices: &str, is_folded: &str| {
            format!(
                "SELECT t.app_id, {REPORT}, {devices} AS n FROM days CROSS JOIN json_each(?3) a \
                 CROSS JOIN {table} t ON t.day = days.day AND t.app_id = a.value \
                 WHERE {FILTERED} AND days.day {is_folded} (SELECT day FROM folded)"
            )
        };
        let (raw, folded) = (on_day("telemetry", "1", ">"), on_day("telemetry_days", "t.devices", "<="));
        format!("seen AS ({raw} UNION ALL {folded})")
    } else {
        let last_seen = last_seen(FILTER);
        format!("{last_seen}, seen AS (SELECT app_id, {REPORT}, 1 AS n FROM last_seen)")
    };
    let distributions = ["version", "platform", "arch", "channel"].map(|column| {
        format!(
            " UNION ALL SELECT * FROM (SELECT '{column}', {column}, sum(n) FROM shapes GROUP BY {column} \
              ORDER BY 3 DESC, 2 LIMIT {MAX_ENTRIES})"
        )
    });
    format!(
        "{DAYS}, {seen}, shapes AS MATERIALIZED (SELECT {REPORT}, sum(n) AS n, json_group_array(DISTINCT app_id) AS apps FROM seen \
          GROUP BY {REPORT}) \
         SELECT 'total' AS kind, '' AS value, coalesce(sum(n), 0) AS count FROM shapes \
         UNION ALL SELECT 'latest', '', coalesce(sum(n), 0) FROM shapes WHERE is_latest \
         UNION ALL SELECT 'apps', '', count(DISTINCT a.value) FROM shapes, json_each(apps) a \
         UNION ALL SELECT 'version_count', '', count(DISTINCT version) FROM shapes{}",
        distributions.concat()
    )
}

/// The versions of the releases of an owner's applications, highest first, at most 1000.
pub fn known_versions(conn: &impl SqlConn, owner: &Id, apps: &[Id]) -> Result<Vec<String>, SqlError> {
    let sql = format!(
        "SELECT DISTINCT version, version_key FROM releases \
         WHERE owner_id = ?1 AND app_id IN (SELECT value FROM json_each(?2)) ORDER BY version_key DESC LIMIT {MAX_ENTRIES}"
    );
    let rows = conn.run(&sql, &params![owner, to_json(&apps)?])?;
    rows.all(|row| row.get("version"))
}

/// Deletes at most `limit` rows of days before `day`, oldest first; returns how many.
pub fn delete_before(conn: &impl SqlConn, day: Day, limit: u32) -> Result<u64, SqlError> {
    let rows = retry_while_locked(
        conn,
        "DELETE FROM telemetry WHERE (day, app_id, device) IN (SELECT day, app_id, device FROM telemetry \
          WHERE day < ?1 ORDER BY day, app_id, device LIMIT ?2) RETURNING 1",
        &params![day, limit],
    )?;
    Ok(rows.values.len() as u64)
}
