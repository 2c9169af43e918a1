//! The regular upkeep of repositories of signed metadata.

use spindrift_core::{Id, Timestamp, Visibility};

use crate::transaction::retry_while_locked;
use crate::{SqlConn, SqlError, params};

/// Repositories that have something to sign at `now`, or that a killed call has left unfinished, oldest
/// first; at most `limit`. Leaves out those whose last attempt failed between `failed_since` and `now`.
pub fn due(
    conn: &impl SqlConn,
    now: Timestamp,
    failed_since: Timestamp,
    limit: u32,
) -> Result<Vec<Id>, SqlError> {
    let rows = conn.run(
        "SELECT app_id FROM repositories \
         WHERE (due_at <= ?1 OR written_revision < revision OR applied_revision < revision) \
          AND NOT coalesce(refresh_failed_at BETWEEN ?2 AND ?1, 0) ORDER BY due_at LIMIT ?3",
        &params![now, failed_since, limit],
    )?;
    rows.all(|row| row.get("app_id"))
}

/// Repositories whose targets do not reflect all changes of their releases; at most `limit`, in a different
/// order each time, so that those that fail do not block the others.
pub fn behind(conn: &impl SqlConn, limit: u32) -> Result<Vec<Id>, SqlError> {
    let rows = conn.run(
        "SELECT app_id FROM repositories WHERE changes <> synced_changes ORDER BY random() LIMIT ?1",
        &params![limit],
    )?;
    rows.all(|row| row.get("app_id"))
}

/// Applications that have a repository and unlisted files of a release that is scheduled to be published
/// after `now`, at `until` or earlier; at most `limit`.
pub fn due_to_list_ahead(
    conn: &impl SqlConn,
    now: Timestamp,
    until: Timestamp,
    limit: u32,
) -> Result<Vec<Id>, SqlError> {
    let rows = conn.run(
        "SELECT DISTINCT r.app_id FROM offers r JOIN repositories t ON t.app_id = r.app_id \
          JOIN artifacts x ON x.release_id = r.id AND x.copied_to IS r.copied_to \
         WHERE r.next_at IS NOT NULL AND r.publish_at > ?1 AND r.publish_at <= ?2 AND x.listing = 'unlisted' \
          AND x.left_out = 0 AND x.leaving_until IS NULL LIMIT ?3",
        &params![now, until, limit],
    )?;
    rows.all(|row| row.get("app_id"))
}

/// Records that the targets of a repository do not reflect its releases.
pub fn mark_behind(conn: &impl SqlConn, app: &Id) -> Result<(), SqlError> {
    retry_while_locked(conn, "UPDATE repositories SET changes = changes + 1 WHERE app_id = ?1", &params![app])
        .map(|_| ())
}

/// Repositories that were last compared with the bucket before `before`, longest ago first; at most `limit`.
pub fn unchecked(conn: &impl SqlConn, before: Timestamp, limit: u32) -> Result<Vec<Id>, SqlError> {
    let rows = conn.run(
        "SELECT app_id FROM repositories WHERE checked_at < ?1 ORDER BY checked_at LIMIT ?2",
        &params![before, limit],
    )?;
    rows.all(|row| row.get("app_id"))
}

/// Records that a repository was compared with the bucket.
pub fn set_checked(conn: &impl SqlConn, app: &Id, at: Timestamp) -> Result<(), SqlError> {
    retry_while_locked(conn, "UPDATE repositories SET checked_at = ?2 WHERE app_id = ?1", &params![app, at])
        .map(|_| ())
}

/// A repository whose root, or targets if they are signed offline, expire soon or have expired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiringRepository {
    pub name: String,
    /// When the first of these expires.
    pub expires_at: Timestamp,
}

/// Repositories that need an offline signature before `before`, the most urgent first.
pub fn expiring(conn: &impl SqlConn, before: Timestamp) -> Result<Vec<ExpiringRepository>, SqlError> {
    let rows = conn.run(
        "SELECT name, expires_at FROM repositories WHERE expires_at <= ?1 ORDER BY expires_at",
        &params![before],
    )?;
    rows.all(|row| Ok(ExpiringRepository { name: row.get("name")?, expires_at: row.get("expires_at")? }))
}

/// A file that is no longer current.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerFile {
    pub app_id: Id,
    pub repository: String,
    /// Which bucket contains its files.
    pub visibility: Visibility,
    pub role: String,
    pub version: u64,
}

/// Files that were replaced by another one of their role before `before`; at most `limit`. Roots stay
/// forever, and so does the last file of a role, which the snapshot names.
pub fn replaced_files(
    conn: &impl SqlConn,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<FormerFile>, SqlError> {
    let rows = conn.run(
        "SELECT m.app_id, r.name, a.private, m.role, m.version \
         FROM repository_metadata m JOIN repositories r ON r.app_id = m.app_id JOIN apps a ON a.id = m.app_id \
         WHERE m.is_current = 0 AND m.role <> 'root' AND EXISTS (SELECT 1 FROM repository_metadata n \
          WHERE n.app_id = m.app_id AND n.role = m.role AND n.version > m.version AND n.created_at <= ?1) LIMIT ?2",
        &params![before, limit],
    )?;
    rows.all(|row| {
        Ok(FormerFile {
            app_id: row.get("app_id")?,
            repository: row.get("name")?,
            visibility: Visibility::of_app(row.get("private")?),
            role: row.get("role")?,
            version: row.get("version")?,
        })
    })
}

/// Deletes a file whose object has been deleted.
pub fn delete_replaced(conn: &impl SqlConn, file: &FormerFile) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "DELETE FROM repository_metadata WHERE app_id = ?1 AND role = ?2 AND version = ?3 AND is_current = 0",
        &params![&file.app_id, &file.role, file.version],
    )
    .map(|_| ())
}

/// Roles and versions of all files of a repository.
pub fn versions(conn: &impl SqlConn, app: &Id) -> Result<Vec<(String, u64)>, SqlError> {
    let rows = conn.run("SELECT role, version FROM repository_metadata WHERE app_id = ?1", &params![app])?;
    rows.all(|row| Ok((row.get("role")?, row.get("version")?)))
}

/// Roles that have waited for signatures since before `before`, with their applications; one role for all
/// files that were sent together; at most `limit`.
pub fn roles_awaiting_signatures(
    conn: &impl SqlConn,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<(Id, String)>, SqlError> {
    let rows = conn.run(
        "SELECT app_id, min(role) AS role FROM repository_staged WHERE created_at <= ?1 GROUP BY app_id, event_id \
         LIMIT ?2",
        &params![before, limit],
    )?;
    rows.all(|row| Ok((row.get("app_id")?, row.get("role")?)))
}
