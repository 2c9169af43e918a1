//! The versions that were ever published in a scope: which static answers there are to be.

use spindrift_core::{Id, Scope, Target, Version};

use crate::row::id_or_empty;
use crate::scopes::{SCOPE_NAMES, ScopesOf, scope};
use crate::{SqlConn, SqlError, SqlValue};

/// Remembers where a release is published. In the transaction that publishes it, or gives it more files. `Some`: whether
/// its application has static answers; `None`: it is not published.
pub fn remember(conn: &impl SqlConn, release: &Id) -> Result<Option<bool>, SqlError> {
    // An update that changes nothing makes RETURNING tell of rows that were there as well.
    let rows = conn.run(
        "INSERT INTO scope_versions (app_id, version_key, channel_id, platform_id, arch_id, version) \
         SELECT DISTINCT x.app_id, r.version_key, r.channel_id, x.platform_id, x.arch_id, r.version \
         FROM artifacts x JOIN releases r ON r.id = x.release_id WHERE x.release_id = ?1 AND r.published = 1 \
         ON CONFLICT DO UPDATE SET version = excluded.version \
         RETURNING (SELECT cdn FROM apps WHERE id = app_id) AS cdn",
        &[release.as_str().into()],
    )?;
    rows.one(|row| row.get("cdn"))
}

/// The newest versions of a scope, those of the channels that it includes among them; at most `limit`.
pub fn newest(conn: &impl SqlConn, app: &Id, target: &Target, limit: u32) -> Result<Vec<Version>, SqlError> {
    conn.run(
        "SELECT version FROM scope_versions WHERE app_id = ?1 AND platform_id = ?3 AND arch_id = ?4 \
          AND (channel_id = ?2 OR channel_id IN (SELECT included_id FROM channel_includes WHERE channel_id = ?2)) \
         GROUP BY version_key ORDER BY version_key DESC LIMIT ?5",
        &[
            app.as_str().into(),
            id_or_empty(target.channel_id.as_ref()),
            id_or_empty(target.platform_id.as_ref()),
            id_or_empty(target.arch_id.as_ref()),
            i64::from(limit).into(),
        ],
    )?.all(|row| row.get("version"))
}

/// The scopes whose static answers a change can make stale: those of applications that have some, in which a version
/// was ever published, and those of channels that include theirs.
pub fn with_answers(conn: &impl SqlConn, of: ScopesOf<'_>) -> Result<Vec<Scope>, SqlError> {
    let (condition, id): (_, SqlValue) = match of {
        ScopesOf::Release(id) => (
            "(s.app_id, s.version_key) = (SELECT app_id, version_key FROM releases WHERE id = ?1)",
            id.as_str().into(),
        ),
        ScopesOf::App(id) => ("s.app_id = ?1", id.as_str().into()),
        ScopesOf::Owner(id) => ("a.owner_id = ?1", id.as_str().into()),
    };
    let sql = format!(
        "SELECT DISTINCT {SCOPE_NAMES} \
         FROM (SELECT DISTINCT s.app_id, s.channel_id, s.platform_id, s.arch_id \
           FROM apps a JOIN scope_versions s ON s.app_id = a.id WHERE a.cdn = 1 AND {condition}) s \
          JOIN apps a ON a.id = s.app_id JOIN users u ON u.id = a.owner_id \
          LEFT JOIN channels c ON c.id = s.channel_id \
           OR c.id IN (SELECT channel_id FROM channel_includes WHERE included_id = s.channel_id) \
          LEFT JOIN platforms p ON p.id = s.platform_id LEFT JOIN archs h ON h.id = s.arch_id"
    );
    conn.run(&sql, &[id])?.all(scope)
}

/// Forgets the versions of an application that is deleted.
pub fn forget_app(conn: &impl SqlConn, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM scope_versions WHERE app_id = ?1", &[app.as_str().into()])
}

/// Forgets the versions of a channel, platform or architecture that is deleted; `column` refers to it.
pub(crate) fn forget_dimension(conn: &impl SqlConn, column: &str, id: &Id) -> Result<(), SqlError> {
    let sql = format!("DELETE FROM scope_versions WHERE {column} = ?1");
    conn.execute(&sql, &[id.as_str().into()])
}
