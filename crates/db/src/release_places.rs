//! The places of a release's files.

use spindrift_core::{Id, Release, Target};

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

/// The places of a release's files, each once. A release without files has one: its channel.
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

/// The places of these artifacts of a release, each once.
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
