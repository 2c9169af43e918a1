//! Repositories of signed metadata as clients address them: by the name of the repository and of a file. One
//! statement answers a request.

use spindrift_core::{DownloadMode, Id, Timestamp, Visibility};

use crate::artifacts::{self, OwnedArtifact};
use crate::offered::{visible, visible_of};
use crate::repositories::LEASE;
use crate::row::{Row, to_json};
use crate::{SqlConn, SqlError, SqlRows, params};

/// A repository, with the data that decides who may read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRepository {
    pub app_id: Id,
    pub owner_id: Id,
    /// Whether its files are public.
    pub visibility: Visibility,
    /// See [`spindrift_core::App::download_mode`].
    pub download_mode: Option<DownloadMode>,
    /// Whether all artifacts have the listing of the current metadata.
    pub is_listing_applied: bool,
}

/// The result of looking up a file of metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadMetadata {
    pub repository: ReadRepository,
    /// The file as it is sent. `None` if it does not exist.
    pub content: Option<String>,
    /// Whether there is something to sign or to finish, and no call is doing so.
    pub is_due: bool,
    /// When the last attempt to do so failed.
    pub failed_at: Option<Timestamp>,
}

/// Columns of the repository `t` and its application `a`.
const COLUMNS: &str = "t.app_id, t.applied_revision >= t.revision AS is_listing_applied, a.owner_id, a.private, a.download_mode";

fn repository(row: &Row<'_>) -> Result<ReadRepository, SqlError> {
    Ok(ReadRepository {
        app_id: row.get("app_id")?,
        owner_id: row.get("owner_id")?,
        visibility: Visibility::of_app(row.get("private")?),
        download_mode: row.get("download_mode")?,
        is_listing_applied: row.get("is_listing_applied")?,
    })
}

/// The file of a role in this version, or the current one if its name contains no version. `Ok(None)` if the
/// repository does not exist.
pub fn metadata(
    conn: &impl SqlConn,
    name: &str,
    role: &str,
    version: Option<u64>,
    now: Timestamp,
) -> Result<Option<ReadMetadata>, SqlError> {
    let which = if version.is_some() { "m.version = ?4" } else { "m.is_current = 1" };
    let sql = format!(
        "SELECT {COLUMNS}, m.content, t.refresh_failed_at, \
          (coalesce(t.due_at <= ?3, 0) OR t.written_revision < t.revision OR t.applied_revision < t.revision) \
           AND NOT EXISTS (SELECT 1 FROM leases WHERE name = '{LEASE}' || t.app_id AND expires_at > ?3) AS is_due \
         FROM repositories t JOIN apps a ON a.id = t.app_id \
         LEFT JOIN repository_metadata m ON m.app_id = t.app_id AND m.role = ?2 AND {which} WHERE t.name = ?1"
    );
    let mut params = Vec::from(params![name, role, now]);
    params.extend(version.map(Into::into));
    conn.run(&sql, &params)?.one(|row| {
        Ok(ReadMetadata {
            repository: repository(row)?,
            content: row.get("content")?,
            is_due: row.get("is_due")?,
            failed_at: row.get("refresh_failed_at")?,
        })
    })
}

/// An artifact, and whether it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadTarget {
    pub owned: OwnedArtifact,
    /// Whether it is listed. Meaningful only if all artifacts have the listing of the current metadata.
    pub is_listed: bool,
}

/// A repository, and those of the requested artifacts that it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadTargets {
    pub repository: ReadRepository,
    /// Artifacts with one of the requested keys, in any order.
    pub targets: Vec<ReadTarget>,
}

/// The artifacts of the repository that have one of these storage keys. `Ok(None)` if the repository does not
/// exist.
pub fn targets(
    conn: &impl SqlConn,
    name: &str,
    keys: &[String],
    now: Timestamp,
) -> Result<Option<ReadTargets>, SqlError> {
    let sql = format!(
        "SELECT {COLUMNS}, {}, x.listing, iif(p.release_id IS NULL, {}, {}) AS published, \
          r.withdrawn_at IS NOT NULL AS is_withdrawn, coalesce(p.channel_id, r.channel_id) AS channel_id \
         FROM repositories t JOIN apps a ON a.id = t.app_id \
         LEFT JOIN artifacts x ON x.bucket = CASE a.private WHEN 1 THEN 'private' ELSE 'public' END \
          AND x.storage_key IN (SELECT value FROM json_each(?2)) AND x.app_id = t.app_id \
         LEFT JOIN releases r ON r.id = x.release_id \
         LEFT JOIN promotions p ON p.release_id = x.release_id AND p.channel_id = x.copied_to WHERE t.name = ?1",
        artifacts::columns_of_x(),
        visible("?3"),
        visible_of("p", "?3")
    );
    let rows = conn.run(&sql, &params![name, to_json(&keys)?, now])?;
    let Some(repository) = rows.one(repository)? else { return Ok(None) };
    let found: Vec<Option<ReadTarget>> = rows.all(target)?;
    Ok(Some(ReadTargets { repository, targets: found.into_iter().flatten().collect() }))
}

/// `None`: the row belongs to a repository without such an artifact.
fn target(row: &Row<'_>) -> Result<Option<ReadTarget>, SqlError> {
    if row.get::<Option<Id>>("id")?.is_none() {
        return Ok(None);
    }
    Ok(Some(ReadTarget {
        owned: artifacts::owned_artifact(row)?,
        is_listed: row.text("listing")? == "listed",
    }))
}

/// The current lists, with role and content: targets, and every channel that has or had signers of its own.
pub fn lists(conn: &impl SqlConn, app: &Id) -> Result<Vec<(String, String)>, SqlError> {
    let rows: SqlRows = conn.run(
        "SELECT role, content FROM repository_metadata \
         WHERE app_id = ?1 AND is_current = 1 AND (role = 'targets' OR role LIKE 'channel-%')",
        &params![app],
    )?;
    rows.all(|row| Ok((row.get("role")?, row.get("content")?)))
}
