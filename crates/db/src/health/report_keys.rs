//! Report keys: one for each application that accepts failure reports.

use spindrift_core::health::WatchedRelease;
use spindrift_core::{AppName, Id, Timestamp};

use crate::{Audited, SqlConn, SqlError, params, watched};

/// The application that a key belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyOwner {
    pub app_id: Id,
    pub app: AppName,
    pub owner_id: Id,
    /// Whether it accepts reports.
    pub reports: bool,
    /// The releases whose failures are watched.
    pub watched: Vec<WatchedRelease>,
}

/// The application that has this key. `Ok(None)` if there is none.
pub fn owner_of(conn: &impl SqlConn, key: &str, now: Timestamp) -> Result<Option<KeyOwner>, SqlError> {
    let sql = format!(
        "SELECT a.id, a.name, a.owner_id, a.reports, {} AS watched \
         FROM report_keys k JOIN apps a ON a.id = k.app_id WHERE k.key_value = ?1",
        watched::list("?2")
    );
    let rows = conn.run(&sql, &params![key, now])?;
    rows.one(|row| {
        Ok(KeyOwner {
            app_id: row.get("id")?,
            app: row.get("name")?,
            owner_id: row.get("owner_id")?,
            reports: row.get("reports")?,
            watched: watched::read(row, now)?,
        })
    })
}

/// The id stored with this key, even if the application no longer exists.
pub fn holder_of(conn: &impl SqlConn, key: &str) -> Result<Option<Id>, SqlError> {
    let rows = conn.run("SELECT app_id FROM report_keys WHERE key_value = ?1", &params![key])?;
    rows.one(|row| row.get("app_id"))
}

/// The application's key. `Ok(None)` if it has none.
pub fn of_app(conn: &impl SqlConn, app: &Id) -> Result<Option<String>, SqlError> {
    let rows = conn.run("SELECT key_value FROM report_keys WHERE app_id = ?1", &params![app])?;
    rows.one(|row| row.get("key_value"))
}

/// The former owner of the key with this digest. `Ok(None)` if there is none.
pub fn former_owner_of(conn: &impl SqlConn, digest: &str) -> Result<Option<Id>, SqlError> {
    let rows = conn.run("SELECT owner_id FROM retired_report_keys WHERE key_hash = ?1", &params![digest])?;
    rows.one(|row| row.get("owner_id"))
}

/// Records that the owner had the key with this digest.
pub fn retire(conn: &impl Audited, digest: &str, owner: &Id) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO retired_report_keys (key_hash, owner_id) VALUES (?1, ?2) \
         ON CONFLICT (key_hash) DO NOTHING",
        &params![digest, owner],
    )
}

/// Stores this key for the application unless it has one.
pub fn insert_if_absent(
    conn: &impl Audited,
    id: &Id,
    app: &Id,
    key: &str,
    now: Timestamp,
) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO report_keys (id, app_id, key_value, updated_at) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (app_id) DO NOTHING",
        &params![id, app, key, now],
    )
}

/// Stores this key for the application, replacing any previous one.
pub fn replace(conn: &impl Audited, id: &Id, app: &Id, key: &str, now: Timestamp) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO report_keys (id, app_id, key_value, updated_at) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (app_id) DO UPDATE SET key_value = excluded.key_value, updated_at = excluded.updated_at",
        &params![id, app, key, now],
    )
}

pub fn delete(conn: &impl Audited, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM report_keys WHERE app_id = ?1", &params![app])
}

/// A key as its owner sees it. It has no `Debug`, because it must not be logged.
#[derive(Clone, PartialEq, Eq)]
pub struct ListedKey {
    pub id: Id,
    pub app_id: Id,
    pub app: AppName,
    pub value: String,
    pub updated_at: Timestamp,
}

/// The keys of the owner's applications that accept reports, by application name.
pub fn of_owner(conn: &impl SqlConn, owner: &Id) -> Result<Vec<ListedKey>, SqlError> {
    let rows = conn.run(
        "SELECT k.id, a.id AS app_id, a.name AS app, k.key_value, k.updated_at FROM apps a JOIN report_keys k ON k.app_id = a.id \
         WHERE a.owner_id = ?1 AND a.reports = 1 ORDER BY a.name",
        &params![owner],
    )?;
    rows.all(|row| {
        Ok(ListedKey {
            id: row.get("id")?,
            app_id: row.get("app_id")?,
            app: row.get("app")?,
            value: row.get("key_value")?,
            updated_at: row.get("updated_at")?,
        })
    })
}

/// The owner's applications that accept reports and have no key yet.
pub fn missing(conn: &impl SqlConn, owner: &Id) -> Result<Vec<Id>, SqlError> {
    let rows = conn.run(
        "SELECT a.id FROM apps a LEFT JOIN report_keys k ON k.app_id = a.id \
         WHERE a.owner_id = ?1 AND a.reports = 1 AND k.id IS NULL",
        &params![owner],
    )?;
    rows.all(|row| row.get("id"))
}
