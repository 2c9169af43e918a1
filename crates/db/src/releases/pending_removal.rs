//! Artifacts that a call is about to delete, and that the service therefore leaves out of its lists.

use spindrift_core::{Id, Timestamp, Version};

use crate::changes::Change;
use crate::row::to_json;
use crate::{SqlConn, SqlError, params};

/// Leaves artifacts out of the lists until `until`; `None` puts them back.
pub fn set(
    conn: &Change<'_, impl SqlConn>,
    artifacts: &[Id],
    until: Option<Timestamp>,
) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE artifacts SET leaving_until = ?2 WHERE id IN (SELECT value FROM json_each(?1))",
        &params![to_json(&artifacts)?, until],
    )
}

/// Whether all of these artifacts are left out because they are about to be deleted.
pub fn are_all(conn: &impl SqlConn, artifacts: &[Id]) -> Result<bool, SqlError> {
    let rows = conn.run(
        "SELECT 1 FROM json_each(?1) AS named WHERE NOT EXISTS \
          (SELECT 1 FROM artifacts WHERE id = named.value AND leaving_until IS NOT NULL) LIMIT 1",
        &params![to_json(&artifacts)?],
    )?;
    Ok(!rows.exist())
}

/// An artifact that was to be deleted and still exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemainingArtifact {
    pub id: Id,
    pub owner_id: Id,
    pub app_id: Id,
    /// The version of its release.
    pub version: Version,
}

/// Artifacts that were to be deleted by `now` and still exist. At most `limit`.
pub fn remaining(
    conn: &impl SqlConn,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<RemainingArtifact>, SqlError> {
    let rows = conn.run(
        "SELECT x.id, r.owner_id, x.app_id, r.version FROM artifacts x JOIN releases r ON r.id = x.release_id \
         WHERE x.leaving_until <= ?1 LIMIT ?2",
        &params![now, limit],
    )?;
    rows.all(|row| {
        Ok(RemainingArtifact {
            id: row.get("id")?,
            owner_id: row.get("owner_id")?,
            app_id: row.get("app_id")?,
            version: row.get("version")?,
        })
    })
}
