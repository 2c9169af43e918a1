//! Releases.

use spindrift_core::{Id, Release, ReleaseFlags, Rollout, Timestamp, Version};

use crate::changes::Change;
use crate::row::{Row, id_or_empty};
use crate::{SqlConn, SqlError, SqlValue, params};

/// Reads a row with the columns `rollout` and `rollout_seed`.
pub(crate) fn rollout(row: &Row<'_>) -> Result<Rollout, SqlError> {
    let percent = u8::try_from(row.get::<i64>("rollout")?.clamp(0, 100)).unwrap_or(100);
    Ok(Rollout { percent, seed: row.get("rollout_seed")? })
}

/// Reads a row with the columns `published`, `critical` and `intermediate`.
pub(crate) fn flags(row: &Row<'_>) -> Result<ReleaseFlags, SqlError> {
    Ok(ReleaseFlags {
        published: row.get("published")?,
        critical: row.get("critical")?,
        intermediate: row.get("intermediate")?,
    })
}

const COLUMNS: &str =
    "id, app_id, version, channel_id, published, critical, intermediate, rollout, rollout_seed, changelog";

fn release(row: &Row<'_>) -> Result<Release, SqlError> {
    Ok(Release {
        id: row.get("id")?,
        app_id: row.get("app_id")?,
        version: row.get("version")?,
        channel_id: row.get("channel_id")?,
        flags: flags(row)?,
        rollout: rollout(row)?,
        changelog: row.get("changelog")?,
    })
}

/// The release of an application with `version`, in any spelling.
pub fn by_version(conn: &impl SqlConn, app: &Id, version: &Version) -> Result<Option<Release>, SqlError> {
    let sql = format!("SELECT {COLUMNS} FROM releases WHERE app_id = ?1 AND version_key = ?2");
    let rows = conn.run(&sql, &params![app, version.sort_key()])?;
    rows.one(release)
}

/// The owner's release with this id.
pub fn by_id(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<Option<Release>, SqlError> {
    let sql = format!("SELECT {COLUMNS} FROM releases WHERE owner_id = ?1 AND id = ?2");
    let rows = conn.run(&sql, &params![owner, id])?;
    rows.one(release)
}

/// Inserts a new release. A version that the application already has is an [`SqlError::Constraint`]. `created_at`: when
/// it was first published, here or elsewhere.
pub fn insert(
    conn: &Change<'_, impl SqlConn>,
    owner: &Id,
    release: &Release,
    created_at: Timestamp,
    now: Timestamp,
) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO releases (id, owner_id, app_id, version, version_key, channel_id, published, critical, intermediate, \
          rollout, rollout_seed, changelog, created_at, updated_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        &params![
            &release.id,
            owner,
            &release.app_id,
            &release.version,
            release.version.sort_key(),
            id_or_empty(release.channel_id.as_ref()),
            release.flags.published,
            release.flags.critical,
            release.flags.intermediate,
            release.rollout.percent,
            &release.rollout.seed,
            &release.changelog,
            created_at,
            now,
        ],
    )
}

/// Updates the time of a release's last change.
pub fn touch(conn: &Change<'_, impl SqlConn>, id: &Id, now: Timestamp) -> Result<(), SqlError> {
    conn.execute("UPDATE releases SET updated_at = ?2 WHERE id = ?1", &params![id, now])
}

/// Changes that `/apps/update` may make; `None` keeps the value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReleaseChange {
    /// See [`ReleaseFlags::published`].
    pub published: Option<bool>,
    /// See [`ReleaseFlags::critical`].
    pub critical: Option<bool>,
    /// See [`ReleaseFlags::intermediate`].
    pub intermediate: Option<bool>,
    /// Percent, 0-100.
    pub rollout: Option<u8>,
    /// The new release notes.
    pub changelog: Option<String>,
}

/// Changes a release. One statement sets only the given columns, so that concurrent changes to other columns are not
/// lost.
pub fn update(
    conn: &Change<'_, impl SqlConn>,
    id: &Id,
    change: &ReleaseChange,
    now: Timestamp,
) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE releases SET published = coalesce(?2, published), critical = coalesce(?3, critical), \
          intermediate = coalesce(?4, intermediate), rollout = coalesce(?5, rollout), \
          changelog = coalesce(?6, changelog), updated_at = ?7 WHERE id = ?1",
        &params![
            id,
            change.published,
            change.critical,
            change.intermediate,
            change.rollout,
            change.changelog.as_deref().map_or(SqlValue::Null, SqlValue::from),
            now
        ],
    )
}

/// Deletes a release that has no artifacts left.
pub fn delete(conn: &Change<'_, impl SqlConn>, id: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM releases WHERE id = ?1", &params![id])
}
