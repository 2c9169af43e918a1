//! The health of releases: the data that a guard run counts, and its findings.

pub mod report_blobs;
pub mod report_causes;
pub mod report_events;
pub mod report_groups;
pub mod report_keys;
pub mod report_versions;
pub(crate) mod watched;

use spindrift_core::health::{DeviceDay, GroupFigures, HealthCounts, ReleaseHealth, WatchedRelease};
use spindrift_core::{Days, Id, Release, Timestamp, Version};

use crate::row::{id_or_empty, to_json};
use crate::telemetry_fold::DAYS;
use crate::transaction::retry_while_locked;
use crate::{Audited, SqlConn, SqlError, SqlValue, leases, params};

/// A lease of guard runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuardLease<'a> {
    /// For looking at the releases of one owner.
    Owner(&'a Id),
    /// For going through all owners, as the operator does. The lease of each owner is needed as well.
    AllOwners,
}

impl GuardLease<'_> {
    fn name(self) -> String {
        match self {
            Self::Owner(owner) => format!("guard.{owner}"),
            Self::AllOwners => "guard".to_owned(),
        }
    }
}

/// Takes a lease until `until`. `Ok(false)`: another run holds it.
pub fn begin(
    conn: &impl SqlConn,
    lease: GuardLease<'_>,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, SqlError> {
    leases::take(conn, &lease.name(), holder, now, until)
}

/// Takes a lease until `until`, even from another run.
pub fn take_over(
    conn: &impl SqlConn,
    lease: GuardLease<'_>,
    holder: &str,
    until: Timestamp,
) -> Result<(), SqlError> {
    leases::take_over(conn, &lease.name(), holder, until)
}

/// Whether a run still holds a lease.
pub fn holds(conn: &impl SqlConn, lease: GuardLease<'_>, holder: &str) -> Result<bool, SqlError> {
    leases::is_held_by(conn, &lease.name(), holder)
}

/// Releases a lease, unless another run has taken it over.
pub fn end(conn: &impl SqlConn, lease: GuardLease<'_>, holder: &str) -> Result<(), SqlError> {
    leases::release(conn, &lease.name(), holder)
}

/// The releases of an application whose failures are watched.
pub fn watched(conn: &impl SqlConn, app: &Id, now: Timestamp) -> Result<Vec<WatchedRelease>, SqlError> {
    let sql = format!("SELECT {} AS watched FROM apps a WHERE a.id = ?1", watched::list("?2"));
    let rows = conn.run(&sql, &params![app, now])?;
    Ok(rows.one(|row| watched::read(row, now))?.unwrap_or_default())
}

/// The failures and devices of an application on these days. Devices whose versions are not `watched` are
/// counted together.
pub fn counts(
    conn: &impl SqlConn,
    app: &Id,
    days: Days,
    watched: &[WatchedRelease],
) -> Result<HealthCounts, SqlError> {
    let (groups, devices) = (groups(conn, app, days)?, devices(conn, app, days, watched)?);
    Ok(HealthCounts { groups, devices, ..HealthCounts::default() })
}

fn groups(conn: &impl SqlConn, app: &Id, days: Days) -> Result<Vec<GroupFigures>, SqlError> {
    let rows = conn.run(
        "SELECT version, channel, platform, event_type, reason, days, failing_days, failing_rounds FROM report_groups \
         WHERE app_id = ?1 AND status <> 'muted' AND last_seen >= ?2",
        &params![app, days.first.start()],
    )?;
    rows.all(|row| {
        Ok(GroupFigures {
            version: row.get("version")?,
            channel: row.get("channel")?,
            platform: row.get("platform")?,
            event: row.get("event_type")?,
            reason: row.get("reason")?,
            reports: row.json("days")?,
            failing_days: row.json("failing_days")?,
            failing_rounds: row.json("failing_rounds")?,
        })
    })
}

/// The groups among `groups` that are muted.
pub fn muted(conn: &impl SqlConn, app: &Id, groups: &[&str]) -> Result<Vec<String>, SqlError> {
    let sql = "SELECT group_hash FROM report_groups WHERE app_id = ?1 AND status = 'muted' \
                AND group_hash IN (SELECT value FROM json_each(?2))";
    conn.run(sql, &params![app, to_json(&groups)?])?.all(|row| row.get("group_hash"))
}

fn devices(
    conn: &impl SqlConn,
    app: &Id,
    days: Days,
    watched: &[WatchedRelease],
) -> Result<Vec<DeviceDay>, SqlError> {
    let of = |table: &str, devices: &str, is_folded: &str| {
        format!(
            "SELECT t.day, t.version, t.channel, t.platform, t.is_latest, {devices} AS devices FROM days \
             CROSS JOIN {table} t ON t.day = days.day AND t.app_id = ?3 \
             WHERE days.day {is_folded} (SELECT day FROM folded) GROUP BY 1, 2, 3, 4, 5"
        )
    };
    let sql = format!(
        "{DAYS}, counts AS ({} UNION ALL {}) SELECT day, \
          iif(version IN (SELECT value FROM json_each(?4)), version, NULL) AS version, channel, platform, is_latest, \
          sum(devices) AS devices FROM counts GROUP BY 1, 2, 3, 4, 5",
        of("telemetry", "count(*)", ">"),
        of("telemetry_days", "sum(t.devices)", "<=")
    );
    let versions: Vec<&str> = watched.iter().map(|release| release.version.as_str()).collect();
    let rows = conn.run(&sql, &params![days.first, days.last, app, to_json(&versions)?])?;
    rows.all(|row| {
        Ok(DeviceDay {
            day: row.get("day")?,
            version: row.get("version")?,
            channel: row.get::<Option<String>>("channel")?.unwrap_or_default(),
            platform: row.get::<Option<String>>("platform")?.unwrap_or_default(),
            is_latest: row.get("is_latest")?,
            devices: row.get("devices")?,
        })
    })
}

/// How the days of these devices are distributed: the sum of d² and the sum of d over all devices, where d is
/// the number of days of a device. With `version`, only devices that ran it; with `None`, only devices that
/// were offered something.
pub fn spread(
    conn: &impl SqlConn,
    app: &Id,
    days: Days,
    version: Option<&Version>,
) -> Result<(u64, u64), SqlError> {
    let sql = format!(
        "{DAYS} SELECT coalesce(sum(n * n), 0) AS squares, coalesce(sum(n), 0) AS device_days FROM \
          (SELECT count(*) AS n FROM days CROSS JOIN telemetry t ON t.day = days.day AND t.app_id = ?3 \
            WHERE iif(?4 IS NULL, NOT t.is_latest, t.version = ?4) GROUP BY t.device)"
    );
    let rows = conn.run(&sql, &params![days.first, days.last, app, version])?;
    Ok(rows.one(|row| Ok((row.get("squares")?, row.get("device_days")?)))?.unwrap_or((0, 0)))
}

/// The statement that stores the findings of a run about a release in a channel.
fn update_statement(
    release: &Release,
    health: &ReleaseHealth,
) -> Result<(&'static str, Vec<SqlValue>), SqlError> {
    let sql = if release.is_promoted {
        "UPDATE promotions SET health = ?3 WHERE release_id = ?1 AND channel_id = ?2"
    } else {
        "UPDATE releases SET health = ?3 WHERE id = ?1 AND channel_id = ?2"
    };
    let channel = id_or_empty(release.channel_id.as_ref());
    Ok((sql, Vec::from(params![&release.id, channel, to_json(health)?])))
}

/// Stores the findings of a run about a release in a channel.
pub fn save(conn: &impl SqlConn, release: &Release, health: &ReleaseHealth) -> Result<(), SqlError> {
    let (sql, params) = update_statement(release, health)?;
    retry_while_locked(conn, sql, &params).map(|_| ())
}

/// Like [`save`], in the transaction of a change that results from the findings.
pub fn save_in_change(
    conn: &impl Audited,
    release: &Release,
    health: &ReleaseHealth,
) -> Result<(), SqlError> {
    let (sql, params) = update_statement(release, health)?;
    conn.execute(sql, &params)
}

/// The findings of the last run about a release in a channel, possibly in an earlier round.
pub fn of_release(conn: &impl SqlConn, release: &Release) -> Result<Option<ReleaseHealth>, SqlError> {
    let sql = "SELECT health FROM offers WHERE id = ?1 AND channel_id = ?2";
    let rows = conn.run(sql, &params![&release.id, id_or_empty(release.channel_id.as_ref())])?;
    Ok(rows.one(|row| row.optional_json("health"))?.flatten())
}
