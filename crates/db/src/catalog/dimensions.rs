//! Channels, platforms and architectures. They share their statements, because they differ only in the
//! updaters of a platform.

use spindrift_core::{Id, PlatformUpdaters, Timestamp};

use crate::apps::{UNDER_WAY, Usage, are_all_in};
use crate::changes::Change;
use crate::row::{Row, to_json};
use crate::{
    SqlConn, SqlError, channel_includes, download_tokens, params, promotions, scope_versions, shutoffs,
};

pub use spindrift_core::DimensionKind as Kind;

const fn table(kind: Kind) -> &'static str {
    match kind {
        Kind::Channel => "channels",
        Kind::Platform => "platforms",
        Kind::Arch => "archs",
    }
}

/// The column that refers to the dimension in upload sessions and in artifacts (for channels: in releases).
const fn reference(kind: Kind) -> &'static str {
    match kind {
        Kind::Channel => "channel_id",
        Kind::Platform => "platform_id",
        Kind::Arch => "arch_id",
    }
}

/// The table whose rows refer to the dimension.
const fn used_by(kind: Kind) -> &'static str {
    match kind {
        Kind::Channel => "offers",
        Kind::Platform | Kind::Arch => "artifacts",
    }
}

/// A channel, platform or architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DimensionRow {
    pub id: Id,
    /// A valid name of its kind, unique within the owner.
    pub name: String,
    /// A platform's updaters; `None` for the other kinds.
    pub updaters: Option<PlatformUpdaters>,
    /// Whether it is the default for clients that name none.
    pub is_default: bool,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

fn columns(kind: Kind) -> &'static str {
    match kind {
        Kind::Platform => "id, name, is_default, updated_at, updaters",
        Kind::Channel | Kind::Arch => "id, name, is_default, updated_at, NULL AS updaters",
    }
}

fn entry(row: &Row<'_>) -> Result<DimensionRow, SqlError> {
    Ok(DimensionRow {
        id: row.get("id")?,
        name: row.get("name")?,
        is_default: row.get("is_default")?,
        updated_at: row.get("updated_at")?,
        updaters: row.optional_json("updaters")?,
    })
}

/// All of the owner's entries of a kind, by name.
pub fn of_owner(conn: &impl SqlConn, kind: Kind, owner: &Id) -> Result<Vec<DimensionRow>, SqlError> {
    let sql = format!("SELECT {} FROM {} WHERE owner_id = ?1 ORDER BY name", columns(kind), table(kind));
    conn.run(&sql, &params![owner])?.all(entry)
}

pub fn by_id(conn: &impl SqlConn, kind: Kind, owner: &Id, id: &Id) -> Result<Option<DimensionRow>, SqlError> {
    let sql = format!("SELECT {} FROM {} WHERE owner_id = ?1 AND id = ?2", columns(kind), table(kind));
    conn.run(&sql, &params![owner, id])?.one(entry)
}

pub fn id_of_name(conn: &impl SqlConn, kind: Kind, owner: &Id, name: &str) -> Result<Option<Id>, SqlError> {
    let sql = format!("SELECT id FROM {} WHERE owner_id = ?1 AND name = ?2", table(kind));
    conn.run(&sql, &params![owner, name])?.one(|row| row.get("id"))
}

/// Inserts a new entry, which is not the default. A name that is already in use is an
/// [`SqlError::Constraint`].
pub fn insert(
    conn: &Change<'_, impl SqlConn>,
    kind: Kind,
    owner: &Id,
    entry: &DimensionRow,
) -> Result<(), SqlError> {
    let (column, value) = if entry.updaters.is_some() { (", updaters", ", ?5") } else { ("", "") };
    let sql = format!(
        "INSERT INTO {} (id, owner_id, name, created_at, updated_at{column}) VALUES (?1, ?2, ?3, ?4, ?4{value})",
        table(kind)
    );
    let mut params = Vec::from(params![&entry.id, owner, &entry.name, entry.updated_at]);
    if let Some(updaters) = &entry.updaters {
        params.push(to_json(updaters)?.into());
    }
    conn.execute(&sql, &params)
}

/// Makes an entry the owner's default, or revokes that.
pub fn set_default(
    conn: &Change<'_, impl SqlConn>,
    kind: Kind,
    owner: &Id,
    id: &Id,
    is_default: bool,
) -> Result<(), SqlError> {
    let sql = format!(
        "UPDATE {} SET is_default = iif(id = ?2, ?3, is_default AND NOT ?3) WHERE owner_id = ?1",
        table(kind)
    );
    conn.execute(&sql, &params![owner, id, is_default])
}

/// Replaces name and updaters. A name that is already in use is an [`SqlError::Constraint`].
pub fn update(conn: &Change<'_, impl SqlConn>, kind: Kind, entry: &DimensionRow) -> Result<(), SqlError> {
    let updaters = if entry.updaters.is_some() { ", updaters = ?4" } else { "" };
    let sql = format!("UPDATE {} SET name = ?2, updated_at = ?3{updaters} WHERE id = ?1", table(kind));
    let mut params = Vec::from(params![&entry.id, &entry.name, entry.updated_at]);
    if let Some(updaters) = &entry.updaters {
        params.push(to_json(updaters)?.into());
    }
    conn.execute(&sql, &params)
}

/// The use that prevents the entry from being deleted.
pub fn usage(conn: &impl SqlConn, kind: Kind, id: &Id, now: Timestamp) -> Result<Usage, SqlError> {
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM {} WHERE {reference} = ?1) AS used_by_releases, \
          EXISTS (SELECT 1 FROM upload_sessions s WHERE s.{reference} = ?1 AND {UNDER_WAY}) AS used_by_uploads",
        used_by(kind),
        reference = reference(kind),
    );
    let rows = conn.run(&sql, &params![id, now])?;
    Ok(rows.one(Usage::from_row)?.unwrap_or(Usage::Free))
}

/// Deletes an entry that no other row refers to.
pub fn delete(conn: &Change<'_, impl SqlConn>, kind: Kind, id: &Id) -> Result<(), SqlError> {
    if kind == Kind::Channel {
        channel_includes::forget(conn, id)?;
        download_tokens::end_of_channel(conn, id)?;
        promotions::forget_channel(conn, id)?;
    }
    scope_versions::forget_dimension(conn, reference(kind), id)?;
    if kind != Kind::Arch {
        shutoffs::forget_dimension(conn, reference(kind), id)?;
    }
    let sql = format!("DELETE FROM {} WHERE id = ?1", table(kind));
    conn.execute(&sql, &params![id])
}

/// Whether all these ids belong to the owner.
pub fn are_all_of(conn: &impl SqlConn, kind: Kind, owner: &Id, ids: &[Id]) -> Result<bool, SqlError> {
    are_all_in(conn, table(kind), owner, ids)
}
