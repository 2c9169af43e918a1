//! The health of releases: what a guard run counts, and what it found.

use spindrift_core::health::{
    Counts, DeviceDay, GroupFigures, Health, MAX_ROUND_DAYS, Round, Subject, Watched,
};
use spindrift_core::{AppName, ChannelName, Days, Hold, Id, Release, Timestamp, UserName, Version};

use crate::offered::visible;
use crate::row::{Row, id_or_empty, to_json};
use crate::telemetry_fold::DAYS;
use crate::transaction::run_in_turn;
use crate::{Audited, SqlConn, SqlError, SqlValue, leases, params, releases, watched};

/// Name of the lease of a guard run.
const LEASE: &str = "guard";

/// Takes the lease until `until`. `Ok(false)`: another run is under way.
pub fn begin(conn: &impl SqlConn, holder: &str, now: Timestamp, until: Timestamp) -> Result<bool, SqlError> {
    leases::take(conn, LEASE, holder, now, until)
}

/// Releases the lease.
pub fn end(conn: &impl SqlConn, holder: &str) -> Result<(), SqlError> {
    leases::release(conn, LEASE, holder)
}

/// A release that is under way.
#[derive(Debug, Clone, PartialEq)]
pub struct UnderWay {
    /// The owner of its application.
    pub owner_id: Id,
    /// The owner's user name.
    pub owner: UserName,
    /// The application's name.
    pub app: AppName,
    /// Whether it takes failure reports.
    pub reports: bool,
    /// The channel, if the owner uses channels.
    pub channel: Option<ChannelName>,
    /// The release as it was written.
    pub release: Release,
    /// Its version, round, and which clients it is not for.
    pub subject: Subject,
    /// The findings of the last run, perhaps in an earlier round.
    pub health: Option<Health>,
}

impl UnderWay {
    /// The findings of the last run, if it was in the present round.
    pub fn present_health(&self) -> Option<&Health> {
        self.health.as_ref().filter(|health| health.is_of(self.subject.round.since))
    }

    /// When a run last looked at it, or when its round began.
    pub fn looked_at(&self) -> Timestamp {
        self.present_health().map_or(self.subject.round.since, |health| health.at)
    }
}

/// Whose releases to look at. `None`: everybody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whose<'a> {
    /// Of this owner.
    pub owner: &'a Id,
    /// Of these applications; `None`: all of the owner's.
    pub apps: Option<&'a [Id]>,
}

/// The order of releases that are under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnderWayOrder {
    /// Those at which a run has not looked for longest first.
    LookedAt,
    /// Those whose round began last first.
    Newest,
}

/// At most `limit` releases that are under way.
pub fn under_way(
    conn: &impl SqlConn,
    whose: Option<Whose<'_>>,
    order: UnderWayOrder,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<UnderWay>, SqlError> {
    let order = match order {
        UnderWayOrder::LookedAt => "coalesce(json_extract(r.health, '$.at'), 0), r.id, r.channel_id",
        UnderWayOrder::Newest => "r.round_at DESC, r.id, r.channel_id",
    };
    let sql = format!(
        "SELECT {}, r.owner_id, u.username AS owner, a.name AS app, a.reports, n.name AS channel, r.health, \
          {} AS unreached FROM offers r JOIN users u ON u.id = r.owner_id JOIN apps a ON a.id = r.app_id \
         LEFT JOIN channels n ON n.id = r.channel_id \
         WHERE r.round_at > ?1 AND {} AND (?3 IS NULL OR r.owner_id = ?3) \
          AND (?4 IS NULL OR r.app_id IN (SELECT value FROM json_each(?4))) \
         ORDER BY {order} LIMIT ?5",
        releases::columns(),
        watched::UNREACHED,
        visible("?2")
    );
    let oldest = now.plus_seconds(-MAX_ROUND_DAYS * 24 * 60 * 60);
    let apps = whose.and_then(|whose| whose.apps).map(to_json).transpose()?;
    let owner = whose.map(|whose| whose.owner);
    let rows = conn.run(&sql, &params![oldest, now, owner, apps, limit])?;
    let found: Vec<_> = rows.all(|row| under_way_release(row, now))?;
    Ok(found.into_iter().flatten().collect())
}

/// `Ok(None)`: it is offered to everybody for so long that nobody looks any more.
fn under_way_release(row: &Row<'_>, now: Timestamp) -> Result<Option<UnderWay>, SqlError> {
    let release = releases::release(row)?;
    let present = release.clone().as_of(now);
    let (Some(since), Some(offered_at)) = (present.round_at, present.offered_at.or(present.round_at)) else {
        return Ok(None);
    };
    let round = Round { release: release.id.clone(), since };
    if !round.is_under_way(
        offered_at,
        present.rollout.basis_points(now).is_all() && present.rollout.hold != Hold::Halted,
        now,
    ) {
        return Ok(None);
    }
    let subject =
        Subject { version: release.version.clone(), unreached: row.json("unreached")?, offered_at, round };
    Ok(Some(UnderWay {
        owner_id: row.get("owner_id")?,
        owner: row.get("owner")?,
        app: row.get("app")?,
        reports: row.get("reports")?,
        channel: row.get("channel")?,
        release,
        subject,
        health: row.optional_json("health")?,
    }))
}

/// The releases of an application whose failures are watched.
pub fn watched(conn: &impl SqlConn, app: &Id, now: Timestamp) -> Result<Vec<Watched>, SqlError> {
    let sql = format!("SELECT {} AS watched FROM apps a WHERE a.id = ?1", watched::list("?2"));
    let rows = conn.run(&sql, &params![app, now])?;
    Ok(rows.one(|row| watched::read(row, now))?.unwrap_or_default())
}

/// The failures and devices of an application on these days. Devices of versions that are not `watched` are counted together.
pub fn counts(conn: &impl SqlConn, app: &Id, days: Days, watched: &[Watched]) -> Result<Counts, SqlError> {
    Ok(Counts { groups: groups(conn, app, days)?, devices: devices(conn, app, days, watched)? })
}

fn groups(conn: &impl SqlConn, app: &Id, days: Days) -> Result<Vec<GroupFigures>, SqlError> {
    let rows = conn.run(
        "SELECT version, channel, event_type, reason, days, failing_days, failing_rounds FROM report_groups \
         WHERE app_id = ?1 AND status <> 'muted' AND last_seen >= ?2",
        &params![app, days.first.start()],
    )?;
    rows.all(|row| {
        Ok(GroupFigures {
            version: row.get("version")?,
            channel: row.get("channel")?,
            event: row.get("event_type")?,
            reason: row.get("reason")?,
            reports: row.json("days")?,
            failing_days: row.json("failing_days")?,
            failing_rounds: row.json("failing_rounds")?,
        })
    })
}

fn devices(
    conn: &impl SqlConn,
    app: &Id,
    days: Days,
    watched: &[Watched],
) -> Result<Vec<DeviceDay>, SqlError> {
    let of = |table: &str, devices: &str, is_folded: &str| {
        format!(
            "SELECT t.day, t.version, t.channel, t.is_latest, {devices} AS devices FROM days \
             CROSS JOIN {table} t ON t.day = days.day AND t.app_id = ?3 \
             WHERE days.day {is_folded} (SELECT day FROM folded) GROUP BY 1, 2, 3, 4"
        )
    };
    let sql = format!(
        "{DAYS}, counts AS ({} UNION ALL {}) SELECT day, \
          iif(version IN (SELECT value FROM json_each(?4)), version, NULL) AS version, channel, is_latest, \
          sum(devices) AS devices FROM counts GROUP BY 1, 2, 3, 4",
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
            is_latest: row.get("is_latest")?,
            devices: row.get("devices")?,
        })
    })
}

/// How the days of these devices lie together: the sum of d² and that of d, for the number of days d of each. `version`: of
/// those that ran it; `None`: of those that were offered something.
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

/// The statement that keeps what a run found of a release in a channel.
fn keeping(release: &Release, health: &Health) -> Result<(&'static str, Vec<SqlValue>), SqlError> {
    let sql = if release.is_promoted {
        "UPDATE promotions SET health = ?3 WHERE release_id = ?1 AND channel_id = ?2"
    } else {
        "UPDATE releases SET health = ?3 WHERE id = ?1 AND channel_id = ?2"
    };
    let channel = id_or_empty(release.channel_id.as_ref());
    Ok((sql, Vec::from(params![&release.id, channel, to_json(health)?])))
}

/// Keeps what a run found of a release in a channel.
pub fn keep(conn: &impl SqlConn, release: &Release, health: &Health) -> Result<(), SqlError> {
    let (sql, params) = keeping(release, health)?;
    run_in_turn(conn, sql, &params).map(|_| ())
}

/// Like [`keep`], in the transaction of a change that follows from it.
pub fn keep_with(conn: &impl Audited, release: &Release, health: &Health) -> Result<(), SqlError> {
    let (sql, params) = keeping(release, health)?;
    conn.execute(sql, &params)
}

/// The findings of the last run about a release in a channel, perhaps in an earlier round.
pub fn of_release(conn: &impl SqlConn, release: &Release) -> Result<Option<Health>, SqlError> {
    let sql = "SELECT health FROM offers WHERE id = ?1 AND channel_id = ?2";
    let rows = conn.run(sql, &params![&release.id, id_or_empty(release.channel_id.as_ref())])?;
    Ok(rows.one(|row| row.optional_json("health"))?.flatten())
}
