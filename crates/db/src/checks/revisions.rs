//! The revisions of all owners.

use std::collections::BTreeMap;

use spindrift_core::UserName;

use crate::{SqlConn, SqlError, params};

/// The revision of each owner, if there are at most `max` owners.
pub fn of_owners(conn: &impl SqlConn, max: u32) -> Result<Option<BTreeMap<UserName, i64>>, SqlError> {
    let rows = conn.run(
        "SELECT username, revision FROM users WHERE owner_id IS NULL LIMIT ?1",
        &params![i64::from(max) + 1],
    )?;
    let revisions: Vec<(UserName, i64)> = rows.all(|row| Ok((row.get("username")?, row.get("revision")?)))?;
    Ok((revisions.len() <= max as usize).then(|| revisions.into_iter().collect()))
}
