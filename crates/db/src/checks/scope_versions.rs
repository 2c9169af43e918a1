//! The versions that were ever published in a scope. They determine which static answers exist.

use spindrift_core::{Id, Target, Timestamp, Version};

use crate::offered::{FILES, OFFERED, visible};
use crate::row::target_ids;
use crate::{SqlConn, SqlError, params};

/// Records where the release with this version is offered as of a given time, if it is offered.
pub(crate) fn remember(
    conn: &impl SqlConn,
    app: &Id,
    version: &Version,
    now: Timestamp,
) -> Result<(), SqlError> {
    let sql = format!(
        "INSERT OR IGNORE INTO scope_versions (app_id, version_key, channel_id, platform_id, arch_id, version) \
         SELECT DISTINCT r.app_id, r.version_key, r.channel_id, x.platform_id, x.arch_id, r.version \
         FROM {FILES} \
         WHERE r.app_id = ?1 AND r.version_key = ?2 AND {} AND {OFFERED}",
        visible("?3")
    );
    conn.execute(&sql, &params![app, version.sort_key(), now])
}

/// The newest versions of a scope, including those of included channels; at most `limit`.
pub fn newest(conn: &impl SqlConn, app: &Id, target: &Target, limit: u32) -> Result<Vec<Version>, SqlError> {
    let [channel, platform, arch] = target_ids(target);
    conn.run(
        "SELECT version FROM scope_versions WHERE app_id = ?1 AND platform_id = ?3 AND arch_id = ?4 \
          AND (channel_id = ?2 OR channel_id IN (SELECT included_id FROM channel_includes WHERE channel_id = ?2)) \
         GROUP BY version_key ORDER BY version_key DESC LIMIT ?5",
        &params![app, channel, platform, arch, limit],
    )?.all(|row| row.get("version"))
}

/// Deletes the versions of an application that is being deleted.
pub fn forget_app(conn: &impl SqlConn, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM scope_versions WHERE app_id = ?1", &params![app])
}

/// Deletes the versions of a channel, platform or architecture that is being deleted; `column` refers to it.
pub(crate) fn forget_dimension(conn: &impl SqlConn, column: &str, id: &Id) -> Result<(), SqlError> {
    let sql = format!("DELETE FROM scope_versions WHERE {column} = ?1");
    conn.execute(&sql, &params![id])
}
