//! Feed files of releases, as uploaded.

use spindrift_core::{FileName, Id, StoredObject, Target, Updater};

use crate::artifacts::object;
use crate::row::target_ids;
use crate::{SqlConn, SqlError, params};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedFile {
    /// The updater that reads it.
    pub updater: Updater,
    pub file_name: FileName,
    pub object: StoredObject,
}

/// Deletes the feed file with this name from a release, for one platform and architecture. Returns its
/// object.
pub fn take(
    conn: &impl SqlConn,
    release: &Id,
    target: &Target,
    updater: Updater,
    file_name: &FileName,
) -> Result<Option<StoredObject>, SqlError> {
    let [_, platform, arch] = target_ids(target);
    let rows = conn.run(
        "DELETE FROM feed_files WHERE release_id = ?1 AND platform_id = ?2 AND arch_id = ?3 AND updater = ?4 \
          AND file_name = ?5 RETURNING bucket, storage_key",
        &params![release, platform, arch, updater, file_name],
    )?;
    rows.one(object)
}

/// Inserts a feed file. A second one for the same object is an [`SqlError::Constraint`].
pub fn insert(conn: &impl SqlConn, release: &Id, target: &Target, feed: &FeedFile) -> Result<(), SqlError> {
    let [_, platform, arch] = target_ids(target);
    conn.execute(
        "INSERT INTO feed_files (release_id, platform_id, arch_id, updater, file_name, bucket, storage_key) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        &params![
            release,
            platform,
            arch,
            feed.updater,
            &feed.file_name,
            feed.object.bucket,
            &feed.object.key,
        ],
    )
}

pub fn objects_of_release(conn: &impl SqlConn, release: &Id) -> Result<Vec<StoredObject>, SqlError> {
    conn.run("SELECT bucket, storage_key FROM feed_files WHERE release_id = ?1", &params![release])?
        .all(object)
}

pub fn delete_of_release(conn: &impl SqlConn, release: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM feed_files WHERE release_id = ?1", &params![release])
}
