//! Causes of failures: groups of an application that share their type and reason.

use std::collections::HashMap;

use spindrift_core::{AppName, Day, EventType, GroupStatus, Id, Reason, Timestamp};

use crate::report_groups::{COLUMNS, FILTERED, GroupFilter, ReportGroup, TREND_DAYS, group};
use crate::row::to_json;
use crate::transaction::run_awaiting_lock;
use crate::{Audited, SqlConn, SqlError};

/// Identifies a cause.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CauseKey {
    pub app_id: Id,
    /// The type of the failure.
    pub event: EventType,
    /// The short identifier of the reason.
    pub reason: Reason,
}

impl CauseKey {
    fn of(group: &ReportGroup) -> Self {
        let (event, reason) = (group.report.event, group.report.reason.clone());
        Self { app_id: group.app_id.clone(), event, reason }
    }

    fn as_texts(&self) -> [&str; 3] {
        [self.app_id.as_str(), self.event.as_str(), self.reason.as_str()]
    }
}

/// A cause, with sums over its groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportCause {
    pub key: CauseKey,
    /// The application's name, as in its reports.
    pub app: AppName,
    pub groups: u64,
    /// Of the groups, those that are open.
    pub open_groups: u64,
    /// Of the groups, those that are resolved. Groups that are neither open nor resolved are muted.
    pub resolved_groups: u64,
    pub reports: u64,
    /// When the first report arrived.
    pub first_seen: Timestamp,
    /// When the last report arrived.
    pub last_seen: Timestamp,
}

/// The fields that causes can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseSort {
    LastSeen,
    FirstSeen,
    Reports,
    Groups,
    /// The reason, alphabetically.
    Reason,
}

/// The order of a list of causes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CauseOrder {
    /// The field to sort by.
    pub by: CauseSort,
    /// Whether the highest or latest comes first.
    pub descending: bool,
}

impl CauseOrder {
    const fn sql(self) -> &'static str {
        match (self.by, self.descending) {
            (CauseSort::LastSeen, true) => "last_seen DESC",
            (CauseSort::LastSeen, false) => "last_seen",
            (CauseSort::FirstSeen, true) => "first_seen DESC",
            (CauseSort::FirstSeen, false) => "first_seen",
            (CauseSort::Reports, true) => "reports DESC",
            (CauseSort::Reports, false) => "reports",
            (CauseSort::Groups, true) => "group_count DESC",
            (CauseSort::Groups, false) => "group_count",
            (CauseSort::Reason, true) => "reason DESC",
            (CauseSort::Reason, false) => "reason",
        }
    }
}

/// The number of causes of the owner's groups that match the filter.
pub fn count(conn: &impl SqlConn, owner: &Id, filter: &GroupFilter) -> Result<u64, SqlError> {
    let sql = format!(
        "SELECT count(*) AS count FROM (SELECT 1 {FILTERED} GROUP BY app_id, event_type, reason) causes"
    );
    Ok(conn.run(&sql, &filter.params(owner)?)?.one(|row| row.get("count"))?.unwrap_or(0))
}

/// The causes of the groups that match the filter: at most `limit`, after skipping `skip`. Sums cover only
/// these groups.
pub fn page(
    conn: &impl SqlConn,
    owner: &Id,
    filter: &GroupFilter,
    order: CauseOrder,
    limit: u32,
    skip: u64,
) -> Result<Vec<ReportCause>, SqlError> {
    let sql = format!(
        "SELECT app_id, event_type, reason, max(app_name) AS app_name, count(*) AS group_count, \
          sum(status = 'open') AS open_groups, sum(status = 'resolved') AS resolved_groups, \
          sum(event_count) AS reports, min(first_seen) AS first_seen, max(last_seen) AS last_seen \
         {FILTERED} GROUP BY app_id, event_type, reason ORDER BY {}, app_id, event_type, reason LIMIT ?16 OFFSET ?17",
        order.sql()
    );
    let mut params = filter.params(owner)?;
    params.push(limit.into());
    params.push(skip.into());
    conn.run(&sql, &params)?.all(|row| {
        Ok(ReportCause {
            key: CauseKey {
                app_id: row.get("app_id")?,
                event: row.get("event_type")?,
                reason: row.get("reason")?,
            },
            app: row.get("app_name")?,
            groups: row.get("group_count")?,
            open_groups: row.get("open_groups")?,
            resolved_groups: row.get("resolved_groups")?,
            reports: row.get("reports")?,
            first_seen: row.get("first_seen")?,
            last_seen: row.get("last_seen")?,
        })
    })
}

/// A condition on a group: its cause is in the JSON list `?16`.
const OF_CAUSES: &str = "AND (app_id, event_type, reason) IN (SELECT json_extract(value, '$[0]'), \
 json_extract(value, '$[1]'), json_extract(value, '$[2]') FROM json_each(?16))";

fn keys(causes: &[&CauseKey]) -> Result<String, SqlError> {
    to_json(&causes.iter().map(|cause| cause.as_texts()).collect::<Vec<_>>())
}

/// The groups of each of these causes that match the filter: at most `limit` of each, latest report first.
pub fn groups(
    conn: &impl SqlConn,
    owner: &Id,
    filter: &GroupFilter,
    causes: &[&CauseKey],
    limit: u32,
) -> Result<HashMap<CauseKey, Vec<ReportGroup>>, SqlError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM (SELECT {COLUMNS}, row_number() OVER (PARTITION BY app_id, event_type, reason \
          ORDER BY last_seen DESC, id DESC) AS place {FILTERED} {OF_CAUSES}) ranked \
         WHERE place <= ?17 ORDER BY last_seen DESC, id DESC"
    );
    let mut params = filter.params(owner)?;
    params.push(keys(causes)?.into());
    params.push(limit.into());
    let mut found: HashMap<CauseKey, Vec<ReportGroup>> = HashMap::new();
    for group in conn.run(&sql, &params)?.all::<_, Vec<ReportGroup>>(group)? {
        found.entry(CauseKey::of(&group)).or_default().push(group);
    }
    Ok(found)
}

/// The number of reports of each of these causes on each of the last [`TREND_DAYS`], oldest first. Causes
/// without reports are left out.
pub fn trends(
    conn: &impl SqlConn,
    owner: &Id,
    filter: &GroupFilter,
    causes: &[&CauseKey],
    today: Day,
) -> Result<HashMap<CauseKey, Vec<u64>>, SqlError> {
    let first = today.minus(i64::from(TREND_DAYS) - 1).number();
    let sql = format!(
        "SELECT g.app_id, g.event_type, g.reason, cast(d.key AS INTEGER) - ?17 AS place, sum(d.value) AS reports \
         FROM (SELECT app_id, event_type, reason, days {FILTERED} {OF_CAUSES}) g, json_each(g.days) d \
         WHERE cast(d.key AS INTEGER) BETWEEN ?17 AND ?18 GROUP BY 1, 2, 3, 4"
    );
    let mut params = filter.params(owner)?;
    params.push(keys(causes)?.into());
    params.push(first.into());
    params.push(today.into());
    let mut found: HashMap<CauseKey, Vec<u64>> = HashMap::new();
    let rows = conn.run(&sql, &params)?.all::<_, Vec<_>>(|row| {
        let key = CauseKey {
            app_id: row.get("app_id")?,
            event: row.get("event_type")?,
            reason: row.get("reason")?,
        };
        Ok((key, row.get::<i64>("place")?, row.get::<u64>("reports")?))
    })?;
    for (key, place, reports) in rows {
        let trend = found.entry(key).or_insert_with(|| vec![0; usize::from(TREND_DAYS)]);
        if let Some(day) = usize::try_from(place).ok().and_then(|place| trend.get_mut(place)) {
            *day += reports;
        }
    }
    Ok(found)
}

/// The applications of the groups of these causes that match the filter.
pub fn apps(
    conn: &impl SqlConn,
    owner: &Id,
    filter: &GroupFilter,
    causes: &[&CauseKey],
) -> Result<Vec<Id>, SqlError> {
    let mut params = filter.params(owner)?;
    params.push(keys(causes)?.into());
    conn.run(&format!("SELECT DISTINCT app_id {FILTERED} {OF_CAUSES}"), &params)?.all(|row| row.get("app_id"))
}

/// Sets the status of the groups of these causes that match the filter. Returns how many groups had a
/// different status.
pub fn set_status(
    conn: &impl Audited,
    owner: &Id,
    filter: &GroupFilter,
    causes: &[&CauseKey],
    status: GroupStatus,
    now: Timestamp,
) -> Result<u64, SqlError> {
    let sql = format!(
        "UPDATE report_groups SET status = ?17, updated_at = ?18 \
         WHERE status <> ?17 AND id IN (SELECT id {FILTERED} {OF_CAUSES}) RETURNING id"
    );
    let mut params = filter.params(owner)?;
    params.push(keys(causes)?.into());
    params.push(status.into());
    params.push(now.into());
    Ok(run_awaiting_lock(conn, &sql, &params)?.values.len() as u64)
}
