//! Groups of failure reports that are counted together.

use std::collections::BTreeMap;

use spindrift_core::{
    AppName, ArchName, ChannelName, Day, EventType, FailureReport, GroupHash, GroupStatus, Id, PlatformName,
    Reason, Timestamp,
};

use crate::row::{Row, to_json};
use crate::transaction::retry_while_locked;
use crate::{Audited, SqlConn, SqlError, SqlValue, params};

/// Number of days, up to today, for which a group keeps the number of its reports.
pub const TREND_DAYS: u8 = 30;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportGroup {
    pub id: Id,
    /// Identifies it within its application.
    pub hash: GroupHash,
    pub app_id: Id,
    /// The fields that its reports share.
    pub report: FailureReport,
    pub count: u64,
    /// When the first report arrived.
    pub first_seen: Timestamp,
    /// When the last report arrived.
    pub last_seen: Timestamp,
    /// How many details were stored; older ones may have been deleted since.
    pub details_stored: u64,
    /// How many details were refused or could not be stored.
    pub details_rejected: u64,
    /// How far people have dealt with it.
    pub status: GroupStatus,
    /// Labels set by people.
    pub tags: Vec<String>,
    /// A note by people; empty if there is none.
    pub note: String,
    pub created_at: Timestamp,
    /// When it last received a report or was changed.
    pub updated_at: Timestamp,
    /// Number of reports by day, for the days that are kept; see [`TREND_DAYS`].
    days: BTreeMap<i64, u64>,
}

impl ReportGroup {
    /// Number of reports on each of the last [`TREND_DAYS`], oldest first.
    pub fn trend(&self, today: Day) -> Vec<u64> {
        let days = (0..i64::from(TREND_DAYS)).rev().map(|ago| today.minus(ago).number());
        days.map(|day| self.days.get(&day).copied().unwrap_or(0)).collect()
    }
}

pub(crate) const COLUMNS: &str = "id, group_hash, app_id, app_name, version, channel, platform, arch, event_type, reason, \
 event_count, first_seen, last_seen, details_stored, details_rejected, status, tags, note, created_at, updated_at, days";

pub(crate) fn group(row: &Row<'_>) -> Result<ReportGroup, SqlError> {
    Ok(ReportGroup {
        id: row.get("id")?,
        hash: row.get("group_hash")?,
        app_id: row.get("app_id")?,
        report: FailureReport {
            app: row.get("app_name")?,
            version: row.get("version")?,
            channel: row.get("channel")?,
            platform: row.get("platform")?,
            arch: row.get("arch")?,
            event: row.get("event_type")?,
            reason: row.get("reason")?,
        },
        count: row.get("event_count")?,
        first_seen: row.get("first_seen")?,
        last_seen: row.get("last_seen")?,
        details_stored: row.get("details_stored")?,
        details_rejected: row.get("details_rejected")?,
        status: row.get("status")?,
        tags: row.json("tags")?,
        note: row.get("note")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        days: row.json("days")?,
    })
}

/// The owner's group with this hash. Two applications can have groups with the same hash, if the name of a
/// deleted application was used again. Then this is the newest group, unless `app` selects one.
pub fn by_hash(
    conn: &impl SqlConn,
    owner: &Id,
    hash: &GroupHash,
    app: Option<&Id>,
) -> Result<Option<ReportGroup>, SqlError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM report_groups WHERE owner_id = ?1 AND group_hash = ?2 AND (?3 IS NULL OR app_id = ?3) \
         ORDER BY id DESC LIMIT 1"
    );
    let params = params![owner, hash, app];
    conn.run(&sql, &params)?.one(group)
}

/// Which groups to select; `None` means any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupFilter {
    pub app: Option<AppName>,
    /// Of the version with this normal form.
    pub version: Option<String>,
    pub channel: Option<ChannelName>,
    pub platform: Option<PlatformName>,
    pub arch: Option<ArchName>,
    pub event: Option<EventType>,
    pub reason: Option<Reason>,
    pub status: Option<GroupStatus>,
    /// With the last report at or after this time.
    pub from: Option<Timestamp>,
    /// With the last report at or before this time.
    pub to: Option<Timestamp>,
    /// Only groups of these applications.
    pub apps: Option<Vec<Id>>,
    pub hash: Option<GroupHash>,
    pub tag: Option<String>,
    /// With this text in the reason, a tag or the note. ASCII letters match regardless of case.
    pub text: Option<String>,
}

impl GroupFilter {
    pub(crate) fn params(&self, owner: &Id) -> Result<Vec<SqlValue>, SqlError> {
        Ok(Vec::from(params![
            owner,
            self.app.as_ref(),
            self.version.as_deref(),
            self.channel.as_ref(),
            self.platform.as_ref(),
            self.arch.as_ref(),
            self.event,
            self.reason.as_ref(),
            self.status,
            self.from,
            self.to,
            self.apps.as_ref().map(to_json).transpose()?,
            self.hash.as_ref(),
            self.tag.as_deref(),
            self.text.as_deref()
        ]))
    }
}

/// The groups of the owner `?1` that match the [parameters](GroupFilter::params) `?2` to `?15`.
pub(crate) const FILTERED: &str = "FROM report_groups WHERE owner_id = ?1 AND (?2 IS NULL OR app_name = ?2) \
 AND (?3 IS NULL OR version = ?3) AND (?4 IS NULL OR channel = ?4) AND (?5 IS NULL OR platform = ?5) \
 AND (?6 IS NULL OR arch = ?6) AND (?7 IS NULL OR event_type = ?7) AND (?8 IS NULL OR reason = ?8) \
 AND (?9 IS NULL OR status = ?9) AND (?10 IS NULL OR last_seen >= ?10) AND (?11 IS NULL OR last_seen <= ?11) \
 AND (?12 IS NULL OR app_id IN (SELECT value FROM json_each(?12))) AND (?13 IS NULL OR group_hash = ?13) \
 AND (?14 IS NULL OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?14)) \
 AND (?15 IS NULL OR instr(lower(reason), lower(?15)) > 0 OR instr(lower(note), lower(?15)) > 0 \
 OR EXISTS (SELECT 1 FROM json_each(tags) WHERE instr(lower(value), lower(?15)) > 0))";

/// The number of the owner's groups that match the filter.
pub fn count(conn: &impl SqlConn, owner: &Id, filter: &GroupFilter) -> Result<u64, SqlError> {
    let rows = conn.run(&format!("SELECT count(*) AS count {FILTERED}"), &filter.params(owner)?)?;
    Ok(rows.one(|row| row.get("count"))?.unwrap_or(0))
}

/// The groups that match the filter, latest report first: at most `limit`, after skipping `skip`.
pub fn page(
    conn: &impl SqlConn,
    owner: &Id,
    filter: &GroupFilter,
    limit: u32,
    skip: u64,
) -> Result<Vec<ReportGroup>, SqlError> {
    let sql = format!("SELECT {COLUMNS} {FILTERED} ORDER BY last_seen DESC, id DESC LIMIT ?16 OFFSET ?17");
    let mut params = filter.params(owner)?;
    params.push(limit.into());
    params.push(skip.into());
    conn.run(&sql, &params)?.all(group)
}

/// Changes that people make to a group; `None` keeps the value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupChange {
    pub status: Option<GroupStatus>,
    /// The new tags, replacing all old ones.
    pub tags: Option<Vec<String>>,
    pub note: Option<String>,
}

pub fn update(conn: &impl Audited, id: &Id, change: &GroupChange, now: Timestamp) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE report_groups SET status = coalesce(?2, status), tags = coalesce(?3, tags), note = coalesce(?4, note), \
          updated_at = ?5 WHERE id = ?1",
        &params![
            id,
            change.status,
            change.tags.as_ref().map(to_json).transpose()?,
            change.note.as_deref(),
            now
        ],
    )
}

/// Deletes a group that has no blobs.
pub fn delete(conn: &impl Audited, id: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM report_groups WHERE id = ?1", &params![id])
}

/// Deletes at most `limit` groups without blobs whose last event arrived before `before`, oldest first.
pub fn delete_before(conn: &impl SqlConn, before: Timestamp, limit: u32) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "DELETE FROM report_groups WHERE id IN (SELECT g.id FROM report_groups g WHERE g.last_seen < ?1 \
          AND NOT EXISTS (SELECT 1 FROM report_blobs WHERE group_id = g.id) ORDER BY g.last_seen LIMIT ?2)",
        &params![before, limit],
    )
    .map(|_| ())
}
