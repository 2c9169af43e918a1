//! The audit log: one chain of entries for each owner. Entries are only ever added.

pub(crate) mod affected;
pub(crate) mod audited;
pub mod changes;
pub mod edits;
pub mod webhooks;

use serde_json::Value;
use spindrift_core::audit::{AuditEntry, AuditHash, AuditKind};
use spindrift_core::{AppName, Id, Release, Target, Timestamp};

use crate::row::{FromColumn, Row, to_json};
use crate::transaction::End;
use crate::{SqlConn, SqlError, SqlValue, params};

/// The entry that a change adds to the audit log, if any. Every transaction that changes something of an
/// owner returns this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Audit {
    /// The entry of the call.
    Entry(Box<AuditEntry>),
    /// Another transaction of the same call adds the entry, or the service only updates data of its own.
    Consequence,
    /// The call changes nothing, so none of its writes are kept.
    Unchanged,
}

impl Audit {
    /// The entry of a call that sets fields, which may already have these values. `before` and `after`
    /// contain every field that the call can set.
    pub fn of_change(entry: AuditEntry, before: Value, after: Value) -> Self {
        let entry = entry.changing(before, after);
        if entry.before.is_empty() && entry.after.is_empty() { Self::Unchanged } else { entry.into() }
    }

    /// How to end a transaction whose work has returned this.
    pub(crate) fn end(&self) -> End {
        if *self == Self::Unchanged { End::RollBack } else { End::Commit }
    }
}

impl From<AuditEntry> for Audit {
    fn from(entry: AuditEntry) -> Self {
        Self::Entry(Box::new(entry))
    }
}

/// An entry that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedEntry {
    /// Its position in the owner's log.
    pub head: AuditHead,
    pub entry: Box<AuditEntry>,
}

/// The position and the hash of an owner's last entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditHead {
    /// The position; 0 if there is no entry.
    pub seq: u64,
    pub hash: AuditHash,
}

/// The head of an owner's log.
pub fn head(conn: &impl SqlConn, owner: &Id) -> Result<AuditHead, SqlError> {
    let sql = "SELECT seq, hash FROM audit_log WHERE owner_id = ?1 ORDER BY seq DESC LIMIT 1";
    let head = |row: &Row<'_>| Ok(AuditHead { seq: row.get("seq")?, hash: row.get("hash")? });
    let none = AuditHead { seq: 0, hash: AuditHash::START };
    Ok(conn.run(sql, &params![owner])?.one(head)?.unwrap_or(none))
}

/// Adds an entry at the end of the owner's log. Call it in the transaction of the change, which holds the
/// write lock.
pub(crate) fn add(
    conn: &impl SqlConn,
    owner: &Id,
    audit: Audit,
    now: Timestamp,
) -> Result<Option<AddedEntry>, SqlError> {
    let Audit::Entry(entry) = audit else { return Ok(None) };
    let before = head(conn, owner)?;
    let seq = before.seq + 1;
    let text = entry.text(seq, now);
    let hash = before.hash.followed_by(&text);
    conn.execute(
        "INSERT INTO audit_log (owner_id, seq, entry, hash) VALUES (?1, ?2, ?3, ?4)",
        &params![owner, seq, text, hash],
    )?;
    Ok(Some(AddedEntry { head: AuditHead { seq, hash }, entry }))
}

/// Which entries to select; `None` means any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// About this application. If `app_name` is also set: about either.
    pub app: Option<Id>,
    /// About an application that had this name at the time of the change.
    pub app_name: Option<AppName>,
    /// About one of these applications.
    pub apps: Option<Vec<Id>>,
    /// About this release.
    pub release: Option<Id>,
    /// About releases of this version.
    pub version: Option<String>,
    pub kinds: Option<Vec<&'static str>>,
    /// By users and tokens that have this id or this name, or had this name when they made the change. Also
    /// `clock` or `maintenance`.
    pub actor: Option<String>,
    /// At or after this time.
    pub from: Option<Timestamp>,
    /// Before this time.
    pub to: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditOrder {
    /// From the end of the log, or from before this position.
    NewestFirst(Option<u64>),
    /// From after this position; 0 is the beginning.
    OldestFirst(u64),
}

/// A stored entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    /// Its position in the owner's log.
    pub seq: u64,
    /// Its text, over which the hash is computed.
    pub entry: String,
    pub hash: AuditHash,
}

fn audit_row(row: &Row<'_>) -> Result<AuditRow, SqlError> {
    Ok(AuditRow { seq: row.get("seq")?, entry: row.get("entry")?, hash: row.get("hash")? })
}

/// The users and tokens that have this name now, though perhaps not when they made a change.
const NAMED: &str = "SELECT id FROM users WHERE username = ?6 \
  UNION ALL SELECT id FROM tokens WHERE owner_id = ?1 AND name = ?6";

/// At most `limit` entries.
pub fn page(
    conn: &impl SqlConn,
    owner: &Id,
    filter: &AuditFilter,
    order: AuditOrder,
    limit: u32,
) -> Result<Vec<AuditRow>, SqlError> {
    let (bound, direction, place) = match order {
        AuditOrder::NewestFirst(before) => ("seq < ?9", "DESC", before.unwrap_or(u64::MAX)),
        AuditOrder::OldestFirst(after) => ("seq > ?9", "ASC", after),
    };
    // SQLite uses an index for a condition that is present, but not for one that may be absent.
    let is_by_app = filter.app.is_some() || filter.app_name.is_some();
    let by_app = if is_by_app { "(app_id = ?2 OR app = ?11)" } else { "?2 IS NULL AND ?11 IS NULL" };
    let by_release = if filter.release.is_some() { "release_id = ?4" } else { "?4 IS NULL" };
    let sql = format!(
        "SELECT seq, entry, hash FROM audit_log WHERE owner_id = ?1 AND {by_app} \
         AND (?3 IS NULL OR app_id IN (SELECT value FROM json_each(?3))) \
         AND {by_release} AND (?12 IS NULL OR version = ?12) \
         AND (?5 IS NULL OR kind IN (SELECT value FROM json_each(?5))) \
         AND (?6 IS NULL OR ?6 IN (actor_id, actor) OR actor_id IN ({NAMED})) \
         AND (?7 IS NULL OR at >= ?7) AND (?8 IS NULL OR at < ?8) \
         AND {bound} ORDER BY seq {direction} LIMIT ?10"
    );
    let params = params![
        owner,
        filter.app.as_ref(),
        filter.apps.as_ref().map(to_json).transpose()?,
        filter.release.as_ref(),
        filter.kinds.as_ref().map(to_json).transpose()?,
        filter.actor.as_deref(),
        filter.from,
        filter.to,
        place,
        limit,
        filter.app_name.as_ref(),
        filter.version.as_deref()
    ];
    conn.run(&sql, &params)?.all(audit_row)
}

/// The owner's entry at this position.
pub fn at(conn: &impl SqlConn, owner: &Id, seq: u64) -> Result<Option<AuditRow>, SqlError> {
    let sql = "SELECT seq, entry, hash FROM audit_log WHERE owner_id = ?1 AND seq = ?2";
    conn.run(sql, &params![owner, seq])?.one(audit_row)
}

/// Whether a release was halted in a channel after the entry at `seq`. `channel`: its name at the time.
pub fn is_halted_after(
    conn: &impl SqlConn,
    owner: &Id,
    release: &Id,
    channel: Option<&str>,
    seq: u64,
) -> Result<bool, SqlError> {
    let sql = "SELECT 1 FROM audit_log WHERE owner_id = ?1 AND release_id = ?2 AND seq > ?3 AND kind = ?4 \
               AND json_extract(entry, '$.channel') IS ?5 LIMIT 1";
    let kind = AuditKind::RolloutHalt.as_str();
    Ok(conn.run(sql, &params![owner, release, seq, kind, channel])?.exist())
}

impl From<AuditHash> for SqlValue {
    fn from(hash: AuditHash) -> Self {
        Self::Blob(hash.as_bytes().to_vec())
    }
}

impl FromColumn for AuditHash {
    fn from_column(value: &SqlValue) -> Option<Self> {
        if let SqlValue::Blob(bytes) = value { Self::from_bytes(bytes) } else { None }
    }
}

/// The names of what an entry is about, at the time of its change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceNames {
    pub app: Option<AppName>,
    pub channel: Option<String>,
    pub platform: Option<String>,
    pub arch: Option<String>,
}

/// The names of a release's application and channel.
pub fn release_names(conn: &impl SqlConn, release: &Release) -> Result<PlaceNames, SqlError> {
    let place = Target { channel_id: release.channel_id.clone(), platform_id: None, arch_id: None };
    place_names(conn, &release.app_id, &place)
}

/// The names of an application and of a place for files. A name is `None` if it does not exist, or if the
/// place has none.
pub fn place_names(conn: &impl SqlConn, app: &Id, place: &Target) -> Result<PlaceNames, SqlError> {
    let sql = "SELECT (SELECT name FROM apps WHERE id = ?1) AS app, (SELECT name FROM channels WHERE id = ?2) AS channel, \
               (SELECT name FROM platforms WHERE id = ?3) AS platform, (SELECT name FROM archs WHERE id = ?4) AS arch";
    let Target { channel_id, platform_id, arch_id } = place;
    let params = params![app, channel_id.as_ref(), platform_id.as_ref(), arch_id.as_ref()];
    let names = |row: &Row<'_>| {
        Ok(PlaceNames {
            app: row.get("app")?,
            channel: row.get("channel")?,
            platform: row.get("platform")?,
            arch: row.get("arch")?,
        })
    };
    let found = conn.run(sql, &params)?.one(names)?;
    Ok(found.unwrap_or(PlaceNames { app: None, channel: None, platform: None, arch: None }))
}
