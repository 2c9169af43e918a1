//! Details of reports: the objects in the private bucket that contain them.

use spindrift_core::{Id, StoredObject, Timestamp, Visibility};

use crate::row::{Row, to_json};
use crate::{SqlConn, SqlError, params};

/// The details of one report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    pub id: Id,
    /// The group that the report was counted in.
    pub group_id: Id,
    /// The object, in the private bucket.
    pub object: StoredObject,
    /// Size in bytes, compressed.
    pub compressed_size: u64,
    /// Size in bytes, uncompressed.
    pub decompressed_size: u64,
    /// When the report arrived.
    pub created_at: Timestamp,
}

const COLUMNS: &str = "id, group_id, storage_key, compressed_size, decompressed_size, created_at";

fn blob(row: &Row<'_>) -> Result<Blob, SqlError> {
    Ok(Blob {
        id: row.get("id")?,
        group_id: row.get("group_id")?,
        object: StoredObject { bucket: Visibility::Private, key: row.get("storage_key")? },
        compressed_size: row.get("compressed_size")?,
        decompressed_size: row.get("decompressed_size")?,
        created_at: row.get("created_at")?,
    })
}

/// Inserts a blob. [`SqlError::Constraint`] if the group no longer exists.
pub fn insert(conn: &impl SqlConn, blob: &Blob) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO report_blobs (id, group_id, storage_key, compressed_size, decompressed_size, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        &params![
            &blob.id,
            &blob.group_id,
            &blob.object.key,
            blob.compressed_size,
            blob.decompressed_size,
            blob.created_at,
        ],
    )
}

/// A group's blobs, newest first.
pub fn of_group(conn: &impl SqlConn, group: &Id) -> Result<Vec<Blob>, SqlError> {
    let sql =
        format!("SELECT {COLUMNS} FROM report_blobs WHERE group_id = ?1 ORDER BY created_at DESC, id DESC");
    conn.run(&sql, &params![group])?.all(blob)
}

/// A group's blobs, except for the newest `keep`.
pub fn beyond(conn: &impl SqlConn, group: &Id, keep: u32) -> Result<Vec<Blob>, SqlError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM report_blobs WHERE group_id = ?1 ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET ?2"
    );
    conn.run(&sql, &params![group, keep])?.all(blob)
}

/// At most `limit` blobs that arrived before `before`, oldest first.
/// `spindrift_service::report_blobs::delete_before` deletes them.
pub fn expired(conn: &impl SqlConn, before: Timestamp, limit: u32) -> Result<Vec<Blob>, SqlError> {
    let sql =
        format!("SELECT {COLUMNS} FROM report_blobs WHERE created_at < ?1 ORDER BY created_at, id LIMIT ?2");
    conn.run(&sql, &params![before, limit])?.all(blob)
}

/// At most `limit` blobs of groups whose last event arrived before `before`.
pub fn of_groups_before(conn: &impl SqlConn, before: Timestamp, limit: u32) -> Result<Vec<Blob>, SqlError> {
    let sql = "SELECT b.id, b.group_id, b.storage_key, b.compressed_size, b.decompressed_size, b.created_at \
        FROM report_groups g CROSS JOIN report_blobs b ON b.group_id = g.id WHERE g.last_seen < ?1 LIMIT ?2";
    conn.run(sql, &params![before, limit])?.all(blob)
}

pub fn delete(conn: &impl SqlConn, ids: &[Id]) -> Result<(), SqlError> {
    conn.execute(
        "DELETE FROM report_blobs WHERE id IN (SELECT value FROM json_each(?1))",
        &params![to_json(&ids)?],
    )
}
