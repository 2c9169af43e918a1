//! The freezes that hold a release.

use spindrift_core::{Freeze, Freezes, Pace, Release, Timestamp};

use crate::row::Row;
use crate::{SqlConn, SqlError, params};

/// A release that is about to be written, with the freezes that hold it from `now` on.
pub(crate) fn hold(conn: &impl SqlConn, release: &Release, now: Timestamp) -> Result<Release, SqlError> {
    if release.publish_at.is_none() && matches!(release.rollout.pace, Pace::Fixed(_)) {
        return Ok(release.clone());
    }
    let rows = conn.run(
        "SELECT f.begins_at, f.ends_at FROM apps a JOIN freezes f ON f.owner_id = a.owner_id AND f.ends_at > ?2 \
         WHERE a.id = ?1 AND f.app_id IN ('', a.id)",
        &params![&release.app_id, now],
    )?;
    let span = |row: &Row<'_>| Ok(Freeze { from: row.get("begins_at")?, to: row.get("ends_at")? });
    let freezes: Freezes = rows.all(span)?;
    Ok(release.clone().with_freezes(&freezes, now))
}
