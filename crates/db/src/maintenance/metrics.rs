//! Figures about the whole service, across all owners.

use spindrift_core::{AppName, Day, Id, Timestamp, UserName};

use crate::offered::{FOR_ALL, visible};
use crate::row::Row;
use crate::{SqlConn, SqlError, params};

/// An application and its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedApp {
    pub id: Id,
    pub name: AppName,
    pub owner: UserName,
}

/// The applications of all owners; at most `limit`.
pub fn apps(conn: &impl SqlConn, limit: u32) -> Result<Vec<OwnedApp>, SqlError> {
    let rows = conn.run(
        "SELECT a.id, a.name, u.username FROM apps a JOIN users u ON u.id = a.owner_id \
         ORDER BY u.username, a.name LIMIT ?1",
        &params![limit],
    )?;
    rows.all(|row| Ok(OwnedApp { id: row.get("id")?, name: row.get("name")?, owner: row.get("username")? }))
}

pub fn app_count(conn: &impl SqlConn) -> Result<u64, SqlError> {
    let rows = conn.run("SELECT count(*) AS count FROM apps", &[])?;
    Ok(rows.one(|row| row.get("count"))?.unwrap_or(0))
}

/// How to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// Each application by itself.
    ByApp,
    /// All applications together.
    Together,
}

impl Grouping {
    const fn column(self) -> &'static str {
        match self {
            Self::ByApp => "app_id",
            Self::Together => "''",
        }
    }
}

/// The number of items in one state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateCount {
    /// `None` for all applications.
    pub app_id: Option<Id>,
    pub state: String,
    pub count: u64,
}

fn state_count(row: &Row<'_>) -> Result<StateCount, SqlError> {
    Ok(StateCount { app_id: row.get("app")?, state: row.get("state")?, count: row.get("count")? })
}

/// Counts releases as `published` or `draft`.
pub fn releases(conn: &impl SqlConn, grouping: Grouping) -> Result<Vec<StateCount>, SqlError> {
    let sql = format!(
        "SELECT {} AS app, iif(published, 'published', 'draft') AS state, count(*) AS count FROM releases GROUP BY 1, 2",
        grouping.column()
    );
    conn.run(&sql, &[])?.all(state_count)
}

/// Devices seen on a day, as `latest` if there was no newer version when they last asked, otherwise as
/// `outdated`.
pub fn devices(conn: &impl SqlConn, grouping: Grouping, day: Day) -> Result<Vec<StateCount>, SqlError> {
    let sql = format!(
        "SELECT {} AS app, iif(is_latest, 'latest', 'outdated') AS state, count(*) AS count FROM telemetry WHERE day = ?1 \
         GROUP BY 1, 2",
        grouping.column()
    );
    conn.run(&sql, &params![day])?.all(state_count)
}

/// Groups of failures by their status.
pub fn report_groups(conn: &impl SqlConn, grouping: Grouping) -> Result<Vec<StateCount>, SqlError> {
    let sql = format!(
        "SELECT {} AS app, status AS state, count(*) AS count FROM report_groups GROUP BY 1, 2",
        grouping.column()
    );
    conn.run(&sql, &[])?.all(state_count)
}

/// Uploads, as `incoming` (through the service), `staged` (for presigned URLs, and not completed), or
/// `recorded` (waiting for their staged objects to be deleted).
pub fn uploads(conn: &impl SqlConn) -> Result<Vec<StateCount>, SqlError> {
    let rows = conn.run(
        "SELECT '' AS app, state, count(*) AS count FROM upload_sessions WHERE state IN ('staged', 'recorded') GROUP BY state \
         UNION ALL SELECT '', 'incoming', count(*) FROM incoming_uploads",
        &[],
    )?;
    rows.all(state_count)
}

/// Folders of static answers that are stale.
pub fn projections_behind(conn: &impl SqlConn) -> Result<u64, SqlError> {
    let rows = conn.run("SELECT count(*) AS count FROM projections WHERE written <> changed", &[])?;
    Ok(rows.one(|row| row.get("count"))?.unwrap_or(0))
}

/// How releases are offered: `draft`, `scheduled`, `withdrawn`, or the state of the rollout. A step of a plan
/// counts only once maintenance has applied it.
pub fn offers(conn: &impl SqlConn, now: Timestamp) -> Result<Vec<StateCount>, SqlError> {
    let sql = format!(
        "SELECT '' AS app, CASE WHEN r.withdrawn_at IS NOT NULL THEN 'withdrawn' \
           WHEN NOT {} THEN iif(r.publish_at IS NULL, 'draft', 'scheduled') \
           WHEN r.rollout_state = 'halted' THEN 'halted' WHEN {FOR_ALL} THEN 'complete' \
           WHEN r.rollout_state = 'paused' THEN 'paused' ELSE iif(r.rollout_plan IS NULL, 'fixed', 'running') END AS state, \
          count(*) AS count \
         FROM offers r GROUP BY 2",
        visible("?1")
    );
    conn.run(&sql, &params![now])?.all(state_count)
}

/// Overdue work, and shut-offs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OverdueWork {
    pub shutoffs: u64,
    /// Number of steps and schedules whose time has come, but which maintenance has not applied yet.
    pub times: u64,
    /// Since when deliveries to a webhook have failed; it may be off by now. `None` if none fails.
    pub webhook_since: Option<Timestamp>,
}

/// The overdue work and the shut-offs of all owners.
pub fn overdue_work(conn: &impl SqlConn, now: Timestamp) -> Result<OverdueWork, SqlError> {
    let rows = conn.run(
        "SELECT (SELECT count(*) FROM shutoffs) AS shutoffs, \
          (SELECT count(*) FROM offers WHERE next_at <= ?1) AS times, \
          (SELECT min(failing_since) FROM webhooks) AS webhook_since",
        &params![now],
    )?;
    let behind = rows.one(|row| {
        Ok(OverdueWork {
            shutoffs: row.get("shutoffs")?,
            times: row.get("times")?,
            webhook_since: row.get("webhook_since")?,
        })
    })?;
    Ok(behind.unwrap_or_default())
}

/// When the current metadata of a role expires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleEnd {
    /// `None`: the earliest expiry across all repositories.
    pub app_id: Option<Id>,
    /// `root`, `targets`, `snapshot`, `timestamp`, or `channel` for the earliest expiry among the lists of
    /// channels.
    pub role: String,
    pub expires_at: Timestamp,
}

/// The expiry times of all current metadata.
pub fn role_ends(conn: &impl SqlConn, grouping: Grouping) -> Result<Vec<RoleEnd>, SqlError> {
    let sql = format!(
        "SELECT {} AS app, iif(role LIKE 'channel-%', 'channel', role) AS role, min(expires_at) AS expires_at \
         FROM repository_metadata WHERE is_current = 1 GROUP BY 1, 2",
        grouping.column()
    );
    conn.run(&sql, &[])?.all(|row| {
        Ok(RoleEnd { app_id: row.get("app")?, role: row.get("role")?, expires_at: row.get("expires_at")? })
    })
}
