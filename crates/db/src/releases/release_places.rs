//! The places of a release's files.

use spindrift_core::{ArchName, Id, PlatformName, Release, Target};

use crate::row::{Row, to_json};
use crate::{SqlConn, SqlError, params};

fn place(release: &Release) -> impl Fn(&Row<'_>) -> Result<Target, SqlError> {
    let channel_id = release.channel_id.clone();
    move |row| {
        Ok(Target {
            channel_id: channel_id.clone(),
            platform_id: row.get("platform_id")?,
            arch_id: row.get("arch_id")?,
        })
    }
}

/// The distinct places of a release's files. A release without files has one: its channel.
pub fn of_release(conn: &impl SqlConn, release: &Release) -> Result<Vec<Target>, SqlError> {
    let rows = conn.run(
        "SELECT platform_id, arch_id FROM artifacts WHERE release_id = ?1 \
         UNION SELECT platform_id, arch_id FROM feed_files WHERE release_id = ?1",
        &params![&release.id],
    )?;
    let mut places: Vec<Target> = rows.all(place(release))?;
    if places.is_empty() {
        places.push(Target { channel_id: release.channel_id.clone(), platform_id: None, arch_id: None });
    }
    Ok(places)
}

/// The channels that a release was promoted to, each as a separate place.
pub fn further_channels(conn: &impl SqlConn, release: &Release) -> Result<Vec<Target>, SqlError> {
    let rows = conn.run("SELECT channel_id FROM promotions WHERE release_id = ?1", &params![&release.id])?;
    rows.all(|row| Ok(Target { channel_id: row.get("channel_id")?, platform_id: None, arch_id: None }))
}

/// The places of a release's files, and the channels that it was promoted to.
pub fn of_all_offers(conn: &impl SqlConn, release: &Release) -> Result<Vec<Target>, SqlError> {
    let mut places = of_release(conn, release)?;
    places.extend(further_channels(conn, release)?);
    Ok(places)
}

/// The channels, platforms and architectures that an application uses, each as a separate place.
pub fn of_app(conn: &impl SqlConn, app: &Id) -> Result<Vec<Target>, SqlError> {
    let rows = conn.run(
        "SELECT DISTINCT r.channel_id, '' AS platform_id, '' AS arch_id FROM offers r WHERE r.app_id = ?1 \
         UNION SELECT '', x.platform_id, '' FROM artifacts x WHERE x.app_id = ?1 \
         UNION SELECT '', '', x.arch_id FROM artifacts x WHERE x.app_id = ?1",
        &params![app],
    )?;
    rows.all(target)
}

fn target(row: &Row<'_>) -> Result<Target, SqlError> {
    row.target()
}

/// The distinct places of a release's files on a platform and architecture. `None` means any.
pub fn matching(
    conn: &impl SqlConn,
    release: &Release,
    platform: Option<&PlatformName>,
    arch: Option<&ArchName>,
) -> Result<Vec<Target>, SqlError> {
    let rows = conn.run(
        "SELECT DISTINCT x.platform_id, x.arch_id FROM artifacts x \
         LEFT JOIN platforms p ON p.id = x.platform_id LEFT JOIN archs a ON a.id = x.arch_id \
         WHERE x.release_id = ?1 AND (?2 IS NULL OR p.name = ?2) AND (?3 IS NULL OR a.name = ?3)",
        &params![&release.id, platform, arch],
    )?;
    rows.all(place(release))
}

/// The places of a release that will have no files left once these artifacts are deleted. Patches do not
/// count, because they need the file that they make.
pub fn emptied_by(conn: &impl SqlConn, release: &Release, artifacts: &[Id]) -> Result<Vec<Target>, SqlError> {
    let rows = conn.run(
        "SELECT DISTINCT x.platform_id, x.arch_id FROM artifacts x WHERE x.release_id = ?1 AND x.patch IS NULL \
          AND x.id IN (SELECT value FROM json_each(?2)) AND NOT EXISTS (SELECT 1 FROM artifacts o \
           WHERE o.release_id = ?1 AND o.platform_id = x.platform_id AND o.arch_id = x.arch_id AND o.patch IS NULL \
            AND o.id NOT IN (SELECT value FROM json_each(?2)))",
        &params![&release.id, to_json(&artifacts)?],
    )?;
    rows.all(place(release))
}

/// The distinct places of these artifacts of a release.
pub fn of_artifacts(
    conn: &impl SqlConn,
    release: &Release,
    artifacts: &[Id],
) -> Result<Vec<Target>, SqlError> {
    let rows = conn.run(
        "SELECT DISTINCT platform_id, arch_id FROM artifacts \
         WHERE release_id = ?1 AND id IN (SELECT value FROM json_each(?2))",
        &params![&release.id, to_json(&artifacts)?],
    )?;
    rows.all(place(release))
}
