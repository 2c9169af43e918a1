//! Groups: failures that are counted together.

use spindrift_core::{
    AppName, ArchName, ChannelName, EventType, FailureReport, GroupHash, GroupStatus, Id, OTHER_GROUP,
    PlatformName, Reason, Timestamp,
};

use crate::report_keys::KeyOwner;
use crate::row::{Row, to_json};
use crate::transaction::{run_in_turn, run_patiently};
use crate::{SqlConn, SqlError, SqlValue};

/// A report that is to be counted.
#[derive(Debug, Clone, Copy)]
pub struct Event<'a> {
    /// For a new group.
    pub id: &'a Id,
    /// Whose key it was sent with.
    pub sender: &'a KeyOwner,
    /// What it says.
    pub report: &'a FailureReport,
    /// What it is counted under.
    pub hash: &'a GroupHash,
    /// When it came.
    pub now: Timestamp,
}

/// The group that a report was counted in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedIn {
    /// Identifier.
    pub id: Id,
    /// What it is found by, in its application.
    pub hash: GroupHash,
}

/// Counts a report, in a group of its own if it is the first of its kind, and answers the group. A resolved group is
/// opened again. An application that has `max_groups` gets no further one: what would be in it is counted in its group
/// [`OTHER_GROUP`].
///
/// It is one statement. Groups are counted, in an index, only for a report that has none yet.
pub fn count_event(conn: &impl SqlConn, event: &Event<'_>, max_groups: u32) -> Result<CountedIn, SqlError> {
    let rows = run_patiently(
        conn,
        "INSERT INTO report_groups (id, owner_id, app_id, group_hash, app_name, version, channel, platform, arch, \
          event_type, reason, event_count, first_seen, last_seen, created_at, updated_at) \
         SELECT ?1, ?2, ?3, column1, ?5, column2, column3, column4, column5, column6, column7, 1, ?12, ?12, ?12, ?12 \
          FROM (VALUES (?4, ?6, ?7, ?8, ?9, ?10, ?11), (?13, ?14, ?15, ?16, ?17, ?18, ?19)) \
          WHERE column1 = CASE \
           WHEN EXISTS (SELECT 1 FROM report_groups WHERE app_id = ?3 AND group_hash = ?4) THEN ?4 \
           WHEN (SELECT count(*) FROM report_groups WHERE app_id = ?3) < ?20 THEN ?4 ELSE ?13 END \
          LIMIT 1 \
         ON CONFLICT (app_id, group_hash) DO UPDATE SET event_count = event_count + 1, \
          last_seen = max(last_seen, excluded.last_seen), updated_at = max(updated_at, excluded.updated_at), \
          status = CASE status WHEN 'resolved' THEN 'open' ELSE status END \
         RETURNING id, group_hash",
        &event.params(max_groups),
    )?;
    rows.one(|row| Ok(CountedIn { id: row.get("id")?, hash: row.get("group_hash")? }))?
        .ok_or_else(|| SqlError::Unavailable("a report was counted nowhere".to_owned()))
}

impl Event<'_> {
    fn params(&self, max_groups: u32) -> Vec<SqlValue> {
        let (sender, report) = (self.sender, self.report);
        let mut params: Vec<SqlValue> = vec![
            self.id.as_str().into(),
            sender.owner_id.as_str().into(),
            sender.app_id.as_str().into(),
            self.hash.as_str().into(),
            report.app.as_str().into(),
            report.version.as_str().into(),
            report.channel.as_str().into(),
            report.platform.as_str().into(),
            report.arch.as_str().into(),
            report.event.as_str().into(),
            report.reason.as_str().into(),
            self.now.as_millis().into(),
            GroupHash::of_other(&report.app).as_str().into(),
        ];
        params.extend(OTHER_GROUP.map(SqlValue::from));
        params.push(i64::from(max_groups).into());
        params
    }
}

/// Counts details that were stored, or that were not.
pub fn count_details(conn: &impl SqlConn, id: &Id, stored: bool) -> Result<(), SqlError> {
    run_in_turn(
        conn,
        "UPDATE report_groups SET details_stored = details_stored + ?2, details_rejected = details_rejected + 1 - ?2 \
         WHERE id = ?1",
        &[id.as_str().into(), stored.into()],
    )
    .map(|_| ())
}

/// A group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Identifier.
    pub id: Id,
    /// What it is found by, in its application.
    pub hash: GroupHash,
    /// The application.
    pub app_id: Id,
    /// What its reports have in common.
    pub report: FailureReport,
    /// How many there were.
    pub count: u64,
    /// When the first came.
    pub first_seen: Timestamp,
    /// When the last came.
    pub last_seen: Timestamp,
    /// How many details were stored; older ones may be deleted meanwhile.
    pub details_stored: u64,
    /// How many details were refused or could not be stored.
    pub details_rejected: u64,
    /// How far people are with it.
    pub status: GroupStatus,
    /// Their labels.
    pub tags: Vec<String>,
    /// Their text; empty when there is none.
    pub note: String,
    /// When it was first recorded.
    pub created_at: Timestamp,
    /// Last report or change.
    pub updated_at: Timestamp,
}

const COLUMNS: &str = "id, group_hash, app_id, app_name, version, channel, platform, arch, event_type, reason, \
 event_count, first_seen, last_seen, details_stored, details_rejected, status, tags, note, created_at, updated_at";

fn group(row: &Row<'_>) -> Result<Group, SqlError> {
    Ok(Group {
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
    })
}

/// The owner's group with this hash. Where two applications have one (the name of a deleted application was used
/// again), the newest, unless `app` says which.
pub fn by_hash(
    conn: &impl SqlConn,
    owner: &Id,
    hash: &GroupHash,
    app: Option<&Id>,
) -> Result<Option<Group>, SqlError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM report_groups WHERE owner_id = ?1 AND group_hash = ?2 AND (?3 IS NULL OR app_id = ?3) \
         ORDER BY id DESC LIMIT 1"
    );
    let params = [owner.as_str().into(), hash.as_str().into(), app.map(Id::as_str).into()];
    conn.run(&sql, &params)?.one(group)
}

/// Which groups; `None` is any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupFilter {
    /// Of the application of this name.
    pub app: Option<AppName>,
    /// Of the version with this normal form.
    pub version: Option<String>,
    /// Of this channel.
    pub channel: Option<ChannelName>,
    /// Of this platform.
    pub platform: Option<PlatformName>,
    /// Of this architecture.
    pub arch: Option<ArchName>,
    /// With this event type.
    pub event: Option<EventType>,
    /// With this reason.
    pub reason: Option<Reason>,
    /// With this status.
    pub status: Option<GroupStatus>,
    /// With a last report at or after this.
    pub from: Option<Timestamp>,
    /// With a last report at or before this.
    pub to: Option<Timestamp>,
    /// Of these applications only.
    pub apps: Option<Vec<Id>>,
}

impl GroupFilter {
    fn params(&self, owner: &Id) -> Result<Vec<SqlValue>, SqlError> {
        Ok(vec![
            owner.as_str().into(),
            self.app.as_ref().map(AppName::as_str).into(),
            self.version.as_deref().into(),
            self.channel.as_ref().map(ChannelName::as_str).into(),
            self.platform.as_ref().map(PlatformName::as_str).into(),
            self.arch.as_ref().map(ArchName::as_str).into(),
            self.event.map(EventType::as_str).into(),
            self.reason.as_ref().map(Reason::as_str).into(),
            self.status.map(GroupStatus::as_str).into(),
            self.from.map(Timestamp::as_millis).into(),
            self.to.map(Timestamp::as_millis).into(),
            self.apps.as_ref().map(to_json).transpose()?.into(),
        ])
    }
}

const FILTERED: &str = "FROM report_groups WHERE owner_id = ?1 AND (?2 IS NULL OR app_name = ?2) \
 AND (?3 IS NULL OR version = ?3) AND (?4 IS NULL OR channel = ?4) AND (?5 IS NULL OR platform = ?5) \
 AND (?6 IS NULL OR arch = ?6) AND (?7 IS NULL OR event_type = ?7) AND (?8 IS NULL OR reason = ?8) \
 AND (?9 IS NULL OR status = ?9) AND (?10 IS NULL OR last_seen >= ?10) AND (?11 IS NULL OR last_seen <= ?11) \
 AND (?12 IS NULL OR app_id IN (SELECT value FROM json_each(?12)))";

/// How many groups of the owner the filter lets through.
pub fn count(conn: &impl SqlConn, owner: &Id, filter: &GroupFilter) -> Result<u64, SqlError> {
    let rows = conn.run(&format!("SELECT count(*) AS count {FILTERED}"), &filter.params(owner)?)?;
    Ok(rows.one(|row| row.get("count"))?.unwrap_or(0))
}

/// The groups that the filter lets through, latest report first: at most `limit` after the first `skip`.
pub fn page(
    conn: &impl SqlConn,
    owner: &Id,
    filter: &GroupFilter,
    limit: u32,
    skip: u64,
) -> Result<Vec<Group>, SqlError> {
    let sql = format!("SELECT {COLUMNS} {FILTERED} ORDER BY last_seen DESC, id DESC LIMIT ?13 OFFSET ?14");
    let mut params = filter.params(owner)?;
    params.push(i64::from(limit).into());
    params.push(i64::try_from(skip).unwrap_or(i64::MAX).into());
    conn.run(&sql, &params)?.all(group)
}

/// What people change of a group; `None` leaves as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupChange {
    /// The new status.
    pub status: Option<GroupStatus>,
    /// All of the new tags.
    pub tags: Option<Vec<String>>,
    /// The whole new text.
    pub note: Option<String>,
}

/// Changes a group. `Ok(false)`: it is gone.
pub fn update(conn: &impl SqlConn, id: &Id, change: &GroupChange, now: Timestamp) -> Result<bool, SqlError> {
    let rows = run_patiently(
        conn,
        "UPDATE report_groups SET status = coalesce(?2, status), tags = coalesce(?3, tags), note = coalesce(?4, note), \
          updated_at = ?5 WHERE id = ?1 RETURNING id",
        &[
            id.as_str().into(),
            change.status.map(GroupStatus::as_str).into(),
            change.tags.as_ref().map(to_json).transpose()?.into(),
            change.note.as_deref().into(),
            now.as_millis().into(),
        ],
    )?;
    Ok(rows.exist())
}

/// Forgets a group that has no blobs.
pub fn delete(conn: &impl SqlConn, id: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM report_groups WHERE id = ?1", &[id.as_str().into()])
}

/// Forgets at most `limit` groups without blobs whose last event came before `before`, oldest first.
pub fn delete_before(conn: &impl SqlConn, before: Timestamp, limit: u32) -> Result<(), SqlError> {
    conn.execute(
        "DELETE FROM report_groups WHERE id IN (SELECT g.id FROM report_groups g WHERE g.last_seen < ?1 \
          AND NOT EXISTS (SELECT 1 FROM report_blobs WHERE group_id = g.id) ORDER BY g.last_seen LIMIT ?2)",
        &[before.as_millis().into(), i64::from(limit).into()],
    )
}
