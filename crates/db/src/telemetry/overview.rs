//! Figures of an owner's applications. Every statement covers all of them at once.

use std::collections::BTreeMap;

use spindrift_core::{ChannelName, Course, Day, Days, Id, Timestamp, Version};

use crate::offered::{self, OfferState, visible};
use crate::row::to_json;
use crate::telemetry_fold::{DAYS, RowFilter, by_fold, last_seen};
use crate::{SqlConn, SqlError, SqlValue, params};

/// The releases of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseCount {
    pub app_id: Id,
    /// Including drafts.
    pub releases: u64,
    /// Releases that are not published.
    pub drafts: u64,
    /// When the published release that has gone longest without a change was last changed. `None` if nothing
    /// is published.
    pub published_since: Option<Timestamp>,
}

/// Counts the releases of all applications of an owner. Applications without releases are left out.
pub fn releases(conn: &impl SqlConn, owner: &Id, now: Timestamp) -> Result<Vec<ReleaseCount>, SqlError> {
    let published = visible("?2");
    let sql = format!(
        "SELECT r.app_id, count(*) AS releases, sum(NOT {published}) AS drafts, \
          min(CASE WHEN {published} THEN r.updated_at END) AS published_since \
         FROM releases r WHERE r.owner_id = ?1 GROUP BY r.app_id"
    );
    let rows = conn.run(&sql, &params![owner, now])?;
    rows.all(|row| {
        Ok(ReleaseCount {
            app_id: row.get("app_id")?,
            releases: row.get("releases")?,
            drafts: row.get("drafts")?,
            published_since: row.get("published_since")?,
        })
    })
}

/// The newest published release of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelNewest {
    pub app_id: Id,
    /// The channel, if the owner uses channels.
    pub channel: Option<ChannelName>,
    pub version: Version,
    /// When it was first recorded.
    pub created_at: Timestamp,
    pub rollout: Course,
}

/// The newest published release of each application and channel, by name of the channel.
pub fn newest(conn: &impl SqlConn, apps: &[&Id], now: Timestamp) -> Result<Vec<ChannelNewest>, SqlError> {
    // SQLite takes the other columns from the row with the highest key.
    let rows = conn.run(
        &format!(
            "WITH seen AS MATERIALIZED ( \
               SELECT r.app_id, r.channel_id, r.version, r.version_key, r.created_at, {columns} \
               FROM json_each(?1) a CROSS JOIN offers r ON r.app_id = a.value WHERE {} \
             ) \
             SELECT r.app_id, c.name AS channel, r.version, r.created_at, {columns}, max(r.version_key) AS version_key \
             FROM seen r LEFT JOIN channels c ON c.id = r.channel_id \
             GROUP BY r.app_id, r.channel_id ORDER BY c.name",
            visible("?2"),
            columns = offered::columns()
        ),
        &params![to_json(&apps)?, now],
    )?;
    rows.all(|row| {
        Ok(ChannelNewest {
            app_id: row.get("app_id")?,
            channel: row.get("channel")?,
            version: row.get("version")?,
            created_at: row.get("created_at")?,
            rollout: OfferState::read(row, now)?.rollout,
        })
    })
}

/// The open failures of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenFailures {
    pub app_id: Id,
    pub groups: u64,
    /// Their causes; see [`crate::report_causes`].
    pub causes: u64,
}

/// The open groups of failures of each application. Applications without any are left out.
pub fn open_failures(conn: &impl SqlConn, apps: &[&Id]) -> Result<Vec<OpenFailures>, SqlError> {
    // Neither a type nor a reason contains a space.
    let rows = conn.run(
        "SELECT app_id, count(*) AS open_groups, count(DISTINCT event_type || ' ' || reason) AS causes FROM report_groups \
         WHERE app_id IN (SELECT value FROM json_each(?1)) AND status = 'open' GROUP BY app_id",
        &params![to_json(&apps)?],
    )?;
    rows.all(|row| {
        Ok(OpenFailures {
            app_id: row.get("app_id")?,
            groups: row.get("open_groups")?,
            causes: row.get("causes")?,
        })
    })
}

/// When the root of an application, or its targets if they are signed offline, expire, if that is at `before`
/// or earlier. Earliest first.
pub fn expiring(
    conn: &impl SqlConn,
    apps: &[&Id],
    before: Timestamp,
) -> Result<Vec<(Id, Timestamp)>, SqlError> {
    let rows = conn.run(
        "SELECT app_id, expires_at FROM repositories \
         WHERE app_id IN (SELECT value FROM json_each(?1)) AND expires_at <= ?2 ORDER BY expires_at",
        &params![to_json(&apps)?, before],
    )?;
    rows.all(|row| Ok((row.get("app_id")?, row.get("expires_at")?)))
}

/// How recently an application was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppActivity {
    pub app_id: Id,
    /// Devices on the last day.
    pub devices: u64,
    /// Whether any device was seen on these days.
    pub was_seen: bool,
    /// Whether any device was seen since a later day.
    pub is_seen: bool,
    /// Whether any failure was reported whose group still exists.
    pub has_reports: bool,
}

/// Counts the devices of applications on the last of these days, and finds out whether any were seen since
/// `since`, and whether any failure was reported. Every application is in the result.
pub fn seen(conn: &impl SqlConn, apps: &[&Id], days: Days, since: Day) -> Result<Vec<AppActivity>, SqlError> {
    let any = "EXISTS (SELECT 1 FROM days CROSS JOIN telemetry t ON t.day = days.day AND t.app_id = a.value";
    let sql = format!(
        "{DAYS} SELECT a.value AS app_id, (SELECT count(*) FROM telemetry t WHERE t.day = ?2 AND t.app_id = a.value) AS devices, \
          {any}) AS was_seen, {any} WHERE days.day >= ?4) AS is_seen, \
          EXISTS (SELECT 1 FROM report_groups g WHERE g.app_id = a.value) AS has_reports FROM json_each(?3) a"
    );
    let mut values = of_days(apps, days)?;
    values.push(since.into());
    let rows = conn.run(&sql, &values)?;
    rows.all(|row| {
        Ok(AppActivity {
            app_id: row.get("app_id")?,
            devices: row.get("devices")?,
            was_seen: row.get("was_seen")?,
            is_seen: row.get("is_seen")?,
            has_reports: row.get("has_reports")?,
        })
    })
}

fn of_days(apps: &[&Id], days: Days) -> Result<Vec<SqlValue>, SqlError> {
    Ok(Vec::from(params![days.first, days.last, to_json(&apps)?]))
}

/// The number of devices on each day; see [`Day::number`].
pub type Daily = BTreeMap<i64, u64>;

/// The devices of each application on each day.
pub fn daily(conn: &impl SqlConn, apps: &[&Id], days: Days) -> Result<Vec<(Id, Daily)>, SqlError> {
    let devices = by_fold(
        "SELECT count(*) FROM telemetry t WHERE t.day = days.day AND t.app_id = a.value",
        "SELECT coalesce(sum(t.devices), 0) FROM telemetry_days t WHERE t.day = days.day AND t.app_id = a.value",
    );
    let sql = format!(
        "{DAYS} SELECT a.value AS app_id, (SELECT json_group_object(cast(days.day AS TEXT), {devices}) FROM days) AS daily \
         FROM json_each(?3) a"
    );
    let rows = conn.run(&sql, &of_days(apps, days)?)?;
    rows.all(|row| Ok((row.get("app_id")?, row.json("daily")?)))
}

/// The devices of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceCount {
    pub app_id: Id,
    /// Each device counts once.
    pub devices: u64,
    /// Devices that had the newest version when they last asked. [`crate::telemetry::clients`] counts them as
    /// `latest`.
    pub on_newest: u64,
}

/// Counts the distinct devices of applications. Applications without any are left out.
pub fn devices(conn: &impl SqlConn, apps: &[&Id], days: Days) -> Result<Vec<DeviceCount>, SqlError> {
    let sql = format!(
        "{DAYS}, {} SELECT t.app_id, count(*) AS devices, sum(t.is_latest) AS on_newest FROM last_seen t GROUP BY t.app_id",
        last_seen(RowFilter::NONE)
    );
    conn.run(&sql, &of_days(apps, days)?)?.all(|row| {
        Ok(DeviceCount {
            app_id: row.get("app_id")?,
            devices: row.get("devices")?,
            on_newest: row.get("on_newest")?,
        })
    })
}

/// Counts the distinct devices of all these applications. A device counts once for each application.
pub fn all_devices(conn: &impl SqlConn, apps: &[&Id], days: Days) -> Result<u64, SqlError> {
    let sql = format!("{DAYS}, {} SELECT count(*) AS devices FROM last_seen", last_seen(RowFilter::NONE));
    Ok(conn.run(&sql, &of_days(apps, days)?)?.one(|row| row.get("devices"))?.unwrap_or(0))
}
