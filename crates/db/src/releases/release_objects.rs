//! Objects in the storage that belong to releases.

use spindrift_core::StoredObject;

use crate::{SqlConn, SqlError, params};

/// Whether an artifact or feed file of any owner is recorded for the object.
pub fn contains(conn: &impl SqlConn, object: &StoredObject) -> Result<bool, SqlError> {
    let rows = conn.run(
        "SELECT 1 FROM artifacts WHERE bucket = ?1 AND storage_key = ?2 \
         UNION ALL SELECT 1 FROM feed_files WHERE bucket = ?1 AND storage_key = ?2 LIMIT 1",
        &params![object.bucket, &object.key],
    )?;
    Ok(rows.exist())
}
