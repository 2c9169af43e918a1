//! Requirements that releases place on the client's system.

use std::fmt;

use spindrift_core::{ArchName, Id, PlatformName, Requirements, Target};

use crate::changes::Change;
use crate::row::{Row, target_ids};
use crate::{SqlConn, SqlError, params};

/// Reads the column `requires`, which may be NULL.
pub(crate) fn read(row: &Row<'_>) -> Result<Option<Requirements>, SqlError> {
    let value: Option<serde_json::Value> = row.optional_json("requires")?;
    let read = value.as_ref().map(Requirements::from_json).transpose();
    read.map(Option::flatten).map_err(|error| SqlError::Unavailable(error.to_string()))
}

/// Sets the requirements of a release in a place. `None` removes them.
pub fn set(
    conn: &Change<'_, impl SqlConn>,
    release: &Id,
    target: &Target,
    requires: Option<&Requirements>,
) -> Result<(), SqlError> {
    let [_, platform, arch] = target_ids(target);
    let Some(requires) = requires else {
        let sql =
            "DELETE FROM release_requirements WHERE release_id = ?1 AND platform_id = ?2 AND arch_id = ?3";
        return conn.execute(sql, &params![release, platform, arch]);
    };
    let sql = "INSERT INTO release_requirements (release_id, platform_id, arch_id, requires) VALUES (?1, ?2, ?3, ?4) \
               ON CONFLICT DO UPDATE SET requires = excluded.requires";
    conn.execute(sql, &params![release, platform, arch, requires.to_json().to_string()])
}

/// The requirements of a release in a place. `None` if there are none.
pub fn of_place(
    conn: &impl SqlConn,
    release: &Id,
    target: &Target,
) -> Result<Option<Requirements>, SqlError> {
    let [_, platform, arch] = target_ids(target);
    let sql = "SELECT requires FROM release_requirements WHERE release_id = ?1 AND platform_id = ?2 AND arch_id = ?3";
    Ok(conn.run(sql, &params![release, platform, arch])?.one(read)?.flatten())
}

/// Deletes the requirements of a release that is being deleted.
pub fn forget_release(conn: &Change<'_, impl SqlConn>, release: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM release_requirements WHERE release_id = ?1", &params![release])
}

/// The requirements of a release in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceRequirements {
    /// `None` if the owner uses no platforms.
    pub platform: Option<PlatformName>,
    /// `None` if the owner uses no architectures.
    pub arch: Option<ArchName>,
    /// The requirements there.
    pub requires: Requirements,
}

/// Readable form: `macos arm64: os_version 12 or later`.
impl fmt::Display for PlaceRequirements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let platform = self.platform.as_ref().map(PlatformName::as_str);
        let place: Vec<&str> = platform.into_iter().chain(self.arch.as_ref().map(ArchName::as_str)).collect();
        if !place.is_empty() {
            write!(f, "{}: ", place.join(" "))?;
        }
        write!(f, "{}", self.requires)
    }
}

/// The requirements of a release in all its places, ordered by the names of the places.
pub fn of_release(conn: &impl SqlConn, release: &Id) -> Result<Vec<PlaceRequirements>, SqlError> {
    let sql = "SELECT p.name AS platform, a.name AS arch, q.requires FROM release_requirements q \
               LEFT JOIN platforms p ON p.id = q.platform_id LEFT JOIN archs a ON a.id = q.arch_id \
               WHERE q.release_id = ?1 AND (q.platform_id = '' OR p.id IS NOT NULL) \
                AND (q.arch_id = '' OR a.id IS NOT NULL) ORDER BY p.name, a.name";
    let rows = conn.run(sql, &params![release])?;
    let all: Vec<Option<PlaceRequirements>> = rows.all(|row| {
        let requires = read(row)?;
        let (platform, arch) = (row.get("platform")?, row.get("arch")?);
        Ok(requires.map(|requires| PlaceRequirements { platform, arch, requires }))
    })?;
    Ok(all.into_iter().flatten().collect())
}
