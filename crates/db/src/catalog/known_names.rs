//! The names that exist.

use std::collections::BTreeSet;

use spindrift_core::{NameKind, UserName};

use crate::row::Row;
use crate::{SqlConn, SqlError, params};

/// Names of several kinds.
pub type NameSet = BTreeSet<(NameKind, String)>;

/// The names that an owner uses, including the owner's own, if there are at most `max`. An unknown owner has
/// none.
pub fn of_owner(conn: &impl SqlConn, owner: &UserName, max: u32) -> Result<Option<NameSet>, SqlError> {
    let rows = conn.run(
        "WITH o AS (SELECT id, username FROM users WHERE username = ?1 AND owner_id IS NULL) \
         SELECT 0 AS kind, username AS name FROM o \
         UNION ALL SELECT 1, name FROM apps WHERE owner_id = (SELECT id FROM o) \
         UNION ALL SELECT 2, name FROM channels WHERE owner_id = (SELECT id FROM o) \
         UNION ALL SELECT 3, name FROM platforms WHERE owner_id = (SELECT id FROM o) \
         UNION ALL SELECT 4, name FROM archs WHERE owner_id = (SELECT id FROM o) LIMIT ?2",
        &params![owner, i64::from(max) + 1],
    )?;
    Ok(up_to(max, rows.all(name)?))
}

/// The names of all owners, if there are at most `max`.
pub fn of_owners(conn: &impl SqlConn, max: u32) -> Result<Option<NameSet>, SqlError> {
    let rows = conn.run(
        "SELECT 0 AS kind, username AS name FROM users WHERE owner_id IS NULL LIMIT ?1",
        &params![i64::from(max) + 1],
    )?;
    Ok(up_to(max, rows.all(name)?))
}

fn name(row: &Row<'_>) -> Result<(NameKind, String), SqlError> {
    let kind = match row.get("kind")? {
        0_i64 => NameKind::Owner,
        1 => NameKind::App,
        2 => NameKind::Channel,
        3 => NameKind::Platform,
        _ => NameKind::Arch,
    };
    Ok((kind, row.get("name")?))
}

fn up_to(max: u32, names: Vec<(NameKind, String)>) -> Option<NameSet> {
    (names.len() <= max as usize).then(|| names.into_iter().collect())
}
