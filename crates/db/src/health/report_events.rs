//! Counting failure reports in their groups.

use spindrift_core::health::MAX_ROUND_DAYS;
use spindrift_core::{Day, FailureReport, GroupHash, Id, OTHER_GROUP, Timestamp};

use crate::report_groups::TREND_DAYS;
use crate::report_keys::KeyOwner;
use crate::row::to_json;
use crate::transaction::{retry_while_locked, run_awaiting_lock};
use crate::{SqlConn, SqlError, SqlValue, params};

/// A report to count.
#[derive(Debug, Clone, Copy)]
pub struct ReportEvent<'a> {
    /// The id for a new group.
    pub id: &'a Id,
    /// The application with whose key it was sent.
    pub sender: &'a KeyOwner,
    /// Its fields.
    pub report: &'a FailureReport,
    pub hash: &'a GroupHash,
    /// The counts in which its device appears for the first time.
    pub firsts: &'a FirstAppearances,
    /// When it arrived.
    pub now: Timestamp,
}

/// The counts of failing devices in which a device appears for the first time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstAppearances {
    /// In the count of this day, for the version and the series of its report.
    pub is_of_day: bool,
    /// In the counts of these rounds: `<beginning>:<release>:<set of devices>`.
    pub rounds: Vec<String>,
}

/// The group that a report was counted in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedGroup {
    pub id: Id,
    /// Identifies it within its application.
    pub hash: GroupHash,
}

/// Counts a report and returns its group. The first report of its kind creates a group, and a report reopens
/// a resolved group. An application that already has `max_groups` gets no more groups: further reports are
/// counted in the group [`OTHER_GROUP`].
///
/// This is a single statement. It also counts the report in the group's days, and drops days and rounds that
/// are over. It counts the groups, using an index, only for a report without an existing group.
pub fn count_event(
    conn: &impl SqlConn,
    event: &ReportEvent<'_>,
    max_groups: u32,
) -> Result<CountedGroup, SqlError> {
    let rows = run_awaiting_lock(
        conn,
        "INSERT INTO report_groups (id, owner_id, app_id, group_hash, app_name, version, channel, platform, arch, \
          event_type, reason, event_count, first_seen, last_seen, created_at, updated_at, days, failing_days, failing_rounds) \
         SELECT ?1, ?2, ?3, column1, ?5, column2, column3, column4, column5, column6, column7, 1, ?12, ?12, ?12, ?12, \
           json_object(cast(?21 AS TEXT), 1), iif(column1 = ?4 AND ?23, json_object(cast(?21 AS TEXT), 1), '{}'), \
           iif(column1 = ?4, (SELECT json_group_object(value, 1) FROM json_each(?24)), '{}') \
          FROM (VALUES (?4, ?6, ?7, ?8, ?9, ?10, ?11), (?13, ?14, ?15, ?16, ?17, ?18, ?19)) \
          WHERE column1 = CASE \
           WHEN EXISTS (SELECT 1 FROM report_groups WHERE app_id = ?3 AND group_hash = ?4) THEN ?4 \
           WHEN (SELECT count(*) FROM report_groups WHERE app_id = ?3) < ?20 THEN ?4 ELSE ?13 END \
          LIMIT 1 \
         ON CONFLICT (app_id, group_hash) DO UPDATE SET event_count = event_count + 1, \
          last_seen = max(last_seen, excluded.last_seen), updated_at = max(updated_at, excluded.updated_at), \
          status = CASE status WHEN 'resolved' THEN 'open' ELSE status END, \
          days = (SELECT json_group_object(cast(day AS TEXT), count) FROM (SELECT day, sum(count) AS count FROM \
           (SELECT cast(key AS INTEGER) AS day, value AS count FROM json_each(report_groups.days) UNION ALL SELECT ?21, 1) \
           WHERE day > ?21 - ?22 GROUP BY day)), \
          failing_days = iif(excluded.failing_days = '{}', failing_days, (SELECT json_group_object(key, count) FROM \
           (SELECT key, sum(value) AS count FROM (SELECT key, value FROM json_each(report_groups.failing_days) \
             UNION ALL SELECT key, value FROM json_each(excluded.failing_days)) \
            WHERE cast(key AS INTEGER) > ?21 - ?22 GROUP BY key))), \
          failing_rounds = iif(excluded.failing_rounds = '{}', failing_rounds, (SELECT json_group_object(key, count) FROM \
           (SELECT key, sum(value) AS count FROM (SELECT key, value FROM json_each(report_groups.failing_rounds) \
             UNION ALL SELECT key, value FROM json_each(excluded.failing_rounds)) \
            WHERE cast(key AS INTEGER) > ?25 GROUP BY key))) \
         RETURNING id, group_hash",
        &event.params(max_groups)?,
    )?;
    rows.one(|row| Ok(CountedGroup { id: row.get("id")?, hash: row.get("group_hash")? }))?
        .ok_or_else(|| SqlError::Unavailable("a report was counted nowhere".to_owned()))
}

impl ReportEvent<'_> {
    fn params(&self, max_groups: u32) -> Result<Vec<SqlValue>, SqlError> {
        let (sender, report) = (self.sender, self.report);
        let mut params: Vec<SqlValue> = Vec::from(params![
            self.id,
            &sender.owner_id,
            &sender.app_id,
            self.hash,
            &report.app,
            &report.version,
            &report.channel,
            &report.platform,
            &report.arch,
            report.event,
            &report.reason,
            self.now,
            &GroupHash::of_other(&report.app)
        ]);
        params.extend(OTHER_GROUP.map(SqlValue::from));
        params.push(max_groups.into());
        params.push(Day::of(self.now).into());
        params.push(TREND_DAYS.into());
        params.push(self.firsts.is_of_day.into());
        params.push(to_json(&self.firsts.rounds)?.into());
        params.push(self.now.plus_seconds(-MAX_ROUND_DAYS * 24 * 60 * 60).into());
        Ok(params)
    }
}

/// Counts stored or rejected details of a report.
pub fn count_details(conn: &impl SqlConn, id: &Id, stored: bool) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "UPDATE report_groups SET details_stored = details_stored + ?2, details_rejected = details_rejected + 1 - ?2 \
         WHERE id = ?1",
        &params![id, stored],
    )
    .map(|_| ())
}
