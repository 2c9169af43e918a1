//! Applications.

use spindrift_core::{AccentColor, App, AppFlags, AppName, DownloadMode, GetPage, Id, Timestamp};

use crate::changes::Change;
use crate::row::{Row, to_json};
use crate::{Audited, SqlConn, SqlError, params};

/// The use that prevents something from being deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// Nothing.
    Free,
    /// A release, or one of its artifacts.
    Releases,
    /// An upload in progress.
    Uploads,
}

impl Usage {
    /// Reads a row with the columns `used_by_releases` and `used_by_uploads`.
    pub(crate) fn from_row(row: &Row<'_>) -> Result<Self, SqlError> {
        Ok(match (row.get("used_by_releases")?, row.get("used_by_uploads")?) {
            (true, _) => Self::Releases,
            (false, true) => Self::Uploads,
            (false, false) => Self::Free,
        })
    }
}

/// A condition on `upload_sessions s`: the session can still become a release at `?2`. A session whose URLs
/// have expired, and that no call is completing, is abandoned.
pub(crate) const UNDER_WAY: &str = "s.state = 'staged' AND (s.expires_at > ?2 OR s.busy_until > ?2)";

/// All columns but the description, which can be long.
const BRIEF: &str = "id, name, private, tuf, reports, cdn, logo_key, updated_at, download_mode, \
  get_page, get_page_color, require_publisher";

/// Which applications to select, and how much of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppFilter {
    /// `None` means any.
    pub id: Option<Id>,
    /// `None` means any.
    pub name: Option<AppName>,
    /// Whether to leave descriptions empty.
    pub is_brief: bool,
}

impl AppFilter {
    /// All applications without their descriptions.
    pub const BRIEF: Self = Self { id: None, name: None, is_brief: true };
}

fn app(row: &Row<'_>) -> Result<App, SqlError> {
    Ok(App {
        id: row.get("id")?,
        name: row.get("name")?,
        flags: flags(row)?,
        description: row.get("description")?,
        logo_key: row.get("logo_key")?,
        updated_at: row.get("updated_at")?,
        download_mode: row.get("download_mode")?,
        get_page: get_page(row)?,
        require_publisher: row.get("require_publisher")?,
    })
}

pub(crate) fn get_page(row: &Row<'_>) -> Result<GetPage, SqlError> {
    Ok(GetPage { is_on: row.get("get_page")?, color: row.get("get_page_color")? })
}

pub(crate) fn flags(row: &Row<'_>) -> Result<AppFlags, SqlError> {
    Ok(AppFlags {
        private: row.get("private")?,
        tuf: row.get("tuf")?,
        reports: row.get("reports")?,
        cdn: row.get("cdn")?,
    })
}

pub fn by_name(conn: &impl SqlConn, owner: &Id, name: &AppName) -> Result<Option<App>, SqlError> {
    let sql = format!("SELECT {BRIEF}, description FROM apps WHERE owner_id = ?1 AND name = ?2");
    conn.run(&sql, &params![owner, name])?.one(app)
}

pub fn by_id(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<Option<App>, SqlError> {
    let sql = format!("SELECT {BRIEF}, description FROM apps WHERE owner_id = ?1 AND id = ?2");
    conn.run(&sql, &params![owner, id])?.one(app)
}

/// The owner's applications that match the filter, by name.
pub fn of_owner(conn: &impl SqlConn, owner: &Id, filter: &AppFilter) -> Result<Vec<App>, SqlError> {
    let description = if filter.is_brief { "'' AS description" } else { "description" };
    let sql = format!(
        "SELECT {BRIEF}, {description} FROM apps \
         WHERE owner_id = ?1 AND (?2 IS NULL OR id = ?2) AND (?3 IS NULL OR name = ?3) ORDER BY name"
    );
    let (id, name) = (filter.id.as_ref().map(Id::as_str), filter.name.as_ref().map(AppName::as_str));
    conn.run(&sql, &params![owner, id, name])?.all(app)
}

/// Inserts an application. A name that is already in use is an [`SqlError::Constraint`].
pub fn insert(conn: &impl Audited, owner: &Id, app: &App) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO apps (id, owner_id, name, description, logo_key, private, tuf, reports, cdn, created_at, updated_at, \
          download_mode, get_page, get_page_color, require_publisher) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11, ?12, ?13, ?14)",
        &params![
            &app.id,
            owner,
            &app.name,
            &app.description,
            &app.logo_key,
            app.flags.private,
            app.flags.tuf,
            app.flags.reports,
            app.flags.cdn,
            app.updated_at,
            app.download_mode,
            app.get_page.is_on,
            app.get_page.color.as_ref(),
            app.require_publisher,
        ],
    )
}

/// Changes to an application; `None` keeps the value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AppChange {
    pub name: Option<AppName>,
    pub description: Option<String>,
    /// Storage key of the new logo.
    pub logo_key: Option<String>,
    /// See [`spindrift_core::AppFlags::private`].
    pub private: Option<bool>,
    /// See [`spindrift_core::AppFlags::tuf`].
    pub tuf: Option<bool>,
    /// See [`spindrift_core::AppFlags::reports`].
    pub reports: Option<bool>,
    /// See [`spindrift_core::AppFlags::cdn`].
    pub cdn: Option<bool>,
    /// See [`App::download_mode`].
    pub download_mode: Option<DownloadMode>,
    /// See [`GetPage::is_on`].
    pub get_page: Option<bool>,
    /// See [`GetPage::color`]. `Some(None)` sets that of the service.
    pub get_page_color: Option<Option<AccentColor>>,
    /// See [`App::require_publisher`].
    pub require_publisher: Option<bool>,
}

/// Changes an application. A name that is already in use is an [`SqlError::Constraint`].
pub fn update(
    conn: &Change<'_, impl SqlConn>,
    id: &Id,
    change: &AppChange,
    now: Timestamp,
) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE apps SET name = coalesce(?2, name), description = coalesce(?3, description), \
          logo_key = coalesce(?4, logo_key), private = coalesce(?5, private), tuf = coalesce(?6, tuf), \
          reports = coalesce(?7, reports), cdn = coalesce(?8, cdn), updated_at = ?9, \
          download_mode = coalesce(?10, download_mode), get_page = coalesce(?11, get_page), \
          get_page_color = iif(?12, ?13, get_page_color), \
          require_publisher = coalesce(?14, require_publisher) WHERE id = ?1",
        &params![
            id,
            change.name.as_ref(),
            change.description.as_deref(),
            change.logo_key.as_deref(),
            change.private,
            change.tuf,
            change.reports,
            change.cdn,
            now,
            change.download_mode,
            change.get_page,
            change.get_page_color.is_some(),
            change.get_page_color.as_ref().and_then(Option::as_ref),
            change.require_publisher,
        ],
    )
}

/// The use that prevents an application from being deleted, or its files from moving to another bucket.
pub fn usage(conn: &impl SqlConn, id: &Id, now: Timestamp) -> Result<Usage, SqlError> {
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM releases WHERE app_id = ?1) AS used_by_releases, \
          EXISTS (SELECT 1 FROM upload_sessions s WHERE s.app_id = ?1 AND {UNDER_WAY}) AS used_by_uploads"
    );
    let rows = conn.run(&sql, &params![id, now])?;
    Ok(rows.one(Usage::from_row)?.unwrap_or(Usage::Free))
}

/// Deletes an application's upload sessions, all of which must be finished or abandoned.
pub fn delete_sessions(conn: &impl SqlConn, id: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM upload_sessions WHERE app_id = ?1", &params![id])
}

/// Deletes an application that no other row refers to.
pub fn delete(conn: &Change<'_, impl SqlConn>, id: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM apps WHERE id = ?1", &params![id])
}

/// Whether all these ids are applications of the owner.
pub fn are_all_of(conn: &impl SqlConn, owner: &Id, ids: &[Id]) -> Result<bool, SqlError> {
    are_all_in(conn, "apps", owner, ids)
}

/// Whether the owner has rows with all these ids in `table`.
pub(crate) fn are_all_in(conn: &impl SqlConn, table: &str, owner: &Id, ids: &[Id]) -> Result<bool, SqlError> {
    if ids.is_empty() {
        return Ok(true);
    }
    let sql = format!(
        "SELECT 1 FROM json_each(?2) WHERE value NOT IN (SELECT id FROM {table} WHERE owner_id = ?1) LIMIT 1"
    );
    Ok(!conn.run(&sql, &params![owner, to_json(&ids)?])?.exist())
}
