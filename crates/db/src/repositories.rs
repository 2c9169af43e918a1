//! Repositories of signed metadata.

pub mod repository_events;
pub mod repository_files;
pub mod repository_metadata;
pub mod repository_staged;
pub mod repository_upkeep;

use spindrift_core::{Id, Timestamp, UserName, Visibility};

use crate::row::Row;
use crate::transaction::retry_while_locked;
use crate::{Audited, SqlConn, SqlError, params};

/// Prefix of the name of a repository's lease, followed by the application's id.
pub const LEASE: &str = "tuf:";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    pub app_id: Id,
    /// `{owner}/{app}`, as they were named when it was started.
    pub name: String,
    /// Which bucket contains its files. Read only: this is a property of the application.
    pub visibility: Visibility,
    /// The owner of the application. Read only.
    pub owner_id: Id,
    /// The owner's current name. Read only.
    pub owner: UserName,
    /// The number of changes of what is current.
    pub revision: i64,
    /// The revision whose timestamp the bucket contains.
    pub written_revision: i64,
    /// The revision whose listing the artifacts have.
    pub applied_revision: i64,
    /// The number of changes of releases.
    pub changes: i64,
    /// The value of `changes` up to which the targets that the service signs include the changes.
    pub synced_changes: i64,
    /// Generation of the service's key for snapshot and timestamp; from 1.
    pub online_generation: u32,
    /// Generation of the service's key for targets; from 1.
    pub targets_generation: u32,
    /// Settings chosen by the owner.
    pub settings: RepositorySettings,
    /// When the service has to sign again. `None` if an offline signature is needed first.
    pub due_at: Option<Timestamp>,
    /// When root expires, or a list that is signed offline, whichever is earlier.
    pub expires_at: Option<Timestamp>,
    /// When a refresh last failed.
    pub refresh_failed_at: Option<Timestamp>,
    /// When it was started.
    pub created_at: Timestamp,
}

impl Repository {
    /// Whether a call ended early, so that the bucket does not contain what is current, or artifacts do not
    /// have its listing.
    pub const fn is_unfinished(&self) -> bool {
        self.written_revision < self.revision || self.applied_revision < self.revision
    }
}

/// Settings of a repository. Lifetimes are in days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepositorySettings {
    /// Number of newest releases that are listed in each channel, platform and architecture. 0 means all.
    pub keep: u8,
    /// For root; a recommendation to its signers.
    pub root_days: u16,
    /// For targets that the service signs.
    pub targets_days: u16,
    pub snapshot_days: u16,
    pub timestamp_days: u16,
}

/// The applications whose releases change.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ChangedApps<'a> {
    /// Of one application.
    One(&'a Id),
    /// Of all applications of an owner.
    OfOwner(&'a Id),
}

/// The columns that change with the current metadata, besides the revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RevisionColumns {
    /// See [`Repository::synced_changes`].
    pub synced_changes: i64,
    /// See [`Repository::online_generation`].
    pub online_generation: u32,
    /// See [`Repository::targets_generation`].
    pub targets_generation: u32,
    /// See [`Repository::due_at`].
    pub due_at: Option<Timestamp>,
    /// See [`Repository::expires_at`].
    pub expires_at: Option<Timestamp>,
}

const SELECT: &str = "SELECT r.app_id, r.name, a.private, a.owner_id, u.username AS owner, r.revision, r.written_revision, \
     r.applied_revision, r.changes, r.synced_changes, r.online_generation, r.targets_generation, r.keep, r.root_days, r.targets_days, r.snapshot_days, \
     r.timestamp_days, r.due_at, r.expires_at, r.refresh_failed_at, r.created_at \
     FROM repositories r JOIN apps a ON a.id = r.app_id JOIN users u ON u.id = a.owner_id";

fn repository(row: &Row<'_>) -> Result<Repository, SqlError> {
    Ok(Repository {
        app_id: row.get("app_id")?,
        name: row.get("name")?,
        visibility: Visibility::of_app(row.get("private")?),
        owner_id: row.get("owner_id")?,
        owner: row.get("owner")?,
        revision: row.get("revision")?,
        written_revision: row.get("written_revision")?,
        applied_revision: row.get("applied_revision")?,
        changes: row.get("changes")?,
        synced_changes: row.get("synced_changes")?,
        online_generation: row.get("online_generation")?,
        targets_generation: row.get("targets_generation")?,
        settings: RepositorySettings {
            keep: row.get("keep")?,
            root_days: row.get("root_days")?,
            targets_days: row.get("targets_days")?,
            snapshot_days: row.get("snapshot_days")?,
            timestamp_days: row.get("timestamp_days")?,
        },
        due_at: row.get("due_at")?,
        expires_at: row.get("expires_at")?,
        refresh_failed_at: row.get("refresh_failed_at")?,
        created_at: row.get("created_at")?,
    })
}

pub fn by_app(conn: &impl SqlConn, app: &Id) -> Result<Option<Repository>, SqlError> {
    conn.run(&format!("{SELECT} WHERE r.app_id = ?1"), &params![app])?.one(repository)
}

/// Whether an application has a repository.
pub fn exists(conn: &impl SqlConn, app: &Id) -> Result<bool, SqlError> {
    Ok(conn.run("SELECT 1 FROM repositories WHERE app_id = ?1", &params![app])?.exist())
}

/// The number of newest releases that the repository of an application lists; 0 means all. `None` if the
/// application has no repository.
pub fn keep_setting(conn: &impl SqlConn, app: &Id) -> Result<Option<u8>, SqlError> {
    let rows = conn.run("SELECT keep FROM repositories WHERE app_id = ?1", &params![app])?;
    rows.one(|row| row.get("keep"))
}

/// The application whose repository has this name.
pub fn app_of_name(conn: &impl SqlConn, name: &str) -> Result<Option<Id>, SqlError> {
    conn.run("SELECT app_id FROM repositories WHERE name = ?1", &params![name])?.one(|row| row.get("app_id"))
}

/// Inserts a repository without metadata. A second one for the application, or with this name, is an
/// [`SqlError::Constraint`].
pub fn insert(
    conn: &impl Audited,
    app: &Id,
    name: &str,
    settings: &RepositorySettings,
    now: Timestamp,
) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO repositories (app_id, name, revision, written_revision, applied_revision, online_generation, \
          targets_generation, keep, root_days, targets_days, snapshot_days, timestamp_days, created_at) \
         VALUES (?1, ?2, 0, 0, 0, 1, 1, ?3, ?4, ?5, ?6, ?7, ?8)",
        &params![
            app,
            name,
            settings.keep,
            settings.root_days,
            settings.targets_days,
            settings.snapshot_days,
            settings.timestamp_days,
            now,
        ],
    )
}

/// Raises the revision and sets these columns. Returns the new revision, or `Ok(None)` if the current one is
/// no longer `from`.
pub fn raise_revision(
    conn: &impl SqlConn,
    app: &Id,
    from: i64,
    columns: &RevisionColumns,
) -> Result<Option<i64>, SqlError> {
    let rows = conn.run(
        "UPDATE repositories SET revision = revision + 1, online_generation = ?3, targets_generation = ?4, due_at = ?5, \
          expires_at = ?6, refresh_failed_at = NULL, synced_changes = ?7 WHERE app_id = ?1 AND revision = ?2 RETURNING revision",
        &params![
            app,
            from,
            columns.online_generation,
            columns.targets_generation,
            columns.due_at,
            columns.expires_at,
            columns.synced_changes,
        ],
    )?;
    rows.one(|row| row.get("revision"))
}

/// Counts a change of releases of these applications, which the targets that the service signs do not reflect
/// yet.
pub(crate) fn count_change(conn: &impl SqlConn, apps: ChangedApps<'_>) -> Result<(), SqlError> {
    let (condition, id) = match apps {
        ChangedApps::One(app) => ("app_id = ?1", app),
        ChangedApps::OfOwner(owner) => ("app_id IN (SELECT id FROM apps WHERE owner_id = ?1)", owner),
    };
    let sql = format!("UPDATE repositories SET changes = changes + 1 WHERE {condition}");
    conn.execute(&sql, &params![id])
}

/// Records that the targets that the service signs reflect this many changes.
pub fn set_synced_changes(conn: &impl SqlConn, app: &Id, changes: i64) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "UPDATE repositories SET synced_changes = ?2 WHERE app_id = ?1",
        &params![app, changes],
    )
    .map(|_| ())
}

/// Records that the bucket contains the metadata of `revision`. `Ok(false)`: another revision is current.
pub fn set_written(conn: &impl SqlConn, app: &Id, revision: i64) -> Result<bool, SqlError> {
    let rows = retry_while_locked(
        conn,
        "UPDATE repositories SET written_revision = ?2 WHERE app_id = ?1 AND revision = ?2 RETURNING revision",
        &params![app, revision],
    )?;
    Ok(rows.exist())
}

/// Records when a refresh failed. This is cleared when the current metadata changes.
pub fn set_refresh_failed(conn: &impl SqlConn, app: &Id, at: Timestamp) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "UPDATE repositories SET refresh_failed_at = ?2 WHERE app_id = ?1",
        &params![app, at],
    )
    .map(|_| ())
}

/// Sets when the service has to sign again. `None`: an offline signature is needed first.
pub fn set_due(conn: &impl SqlConn, app: &Id, due_at: Option<Timestamp>) -> Result<(), SqlError> {
    retry_while_locked(conn, "UPDATE repositories SET due_at = ?2 WHERE app_id = ?1", &params![app, due_at])
        .map(|_| ())
}

pub fn set_settings(conn: &impl Audited, app: &Id, settings: &RepositorySettings) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE repositories SET keep = ?2, root_days = ?3, targets_days = ?4, snapshot_days = ?5, timestamp_days = ?6 \
         WHERE app_id = ?1",
        &params![
            app,
            settings.keep,
            settings.root_days,
            settings.targets_days,
            settings.snapshot_days,
            settings.timestamp_days,
        ],
    )
}

/// Deletes a repository whose metadata has been deleted.
pub fn delete(conn: &impl Audited, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM repositories WHERE app_id = ?1", &params![app])
}
