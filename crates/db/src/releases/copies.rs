//! Copies of artifacts, for the clients of a channel to which a release was promoted.

use spindrift_core::{
    AppName, ArchName, FileName, Id, Package, PlatformName, Release, StoredObject, Timestamp, Updater,
};

use crate::artifacts::object;
use crate::changes::Change;
use crate::offered::OF_NEW;
use crate::row::id_or_empty;
use crate::{SqlConn, SqlError, params};

/// An artifact, with what determines the key of a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    pub id: Id,
    pub app: AppName,
    /// The platform, if the owner uses platforms.
    pub platform: Option<PlatformName>,
    /// The architecture, if the owner uses architectures.
    pub arch: Option<ArchName>,
    /// The updater that it was published for.
    pub updater: Updater,
    pub package: Package,
    /// The name under which it was uploaded.
    pub file_name: FileName,
    pub object: StoredObject,
}

/// The uploaded artifacts of a release.
pub fn originals(conn: &impl SqlConn, release: &Id) -> Result<Vec<Original>, SqlError> {
    let rows = conn.run(
        "SELECT x.id, a.name AS app, p.name AS platform, h.name AS arch, x.updater, x.package, x.file_name, x.bucket, x.storage_key \
         FROM artifacts x JOIN apps a ON a.id = x.app_id LEFT JOIN platforms p ON p.id = x.platform_id \
          LEFT JOIN archs h ON h.id = x.arch_id \
         WHERE x.release_id = ?1 AND x.copied_to IS NULL ORDER BY x.rowid",
        &params![release],
    )?;
    rows.all(|row| {
        Ok(Original {
            id: row.get("id")?,
            app: row.get("app")?,
            platform: row.get("platform")?,
            arch: row.get("arch")?,
            updater: row.get("updater")?,
            package: row.get("package")?,
            file_name: row.get("file_name")?,
            object: object(row)?,
        })
    })
}

/// Inserts a copy of an artifact, which differs from it only in its object and, in `promoted`, the channel.
/// Where signed metadata decides what may be offered, it is not offered yet.
pub fn insert(
    conn: &Change<'_, impl SqlConn>,
    promoted: &Release,
    original: &Id,
    (id, object): (&Id, &StoredObject),
    now: Timestamp,
) -> Result<(), SqlError> {
    conn.execute(
        &format!(
            "INSERT INTO artifacts (id, release_id, app_id, platform_id, arch_id, package, slot, updater, file_name, bucket, \
              storage_key, size, md5, sha256, sha512, signature, created_at, digests_verified, patch, copied_to, listing) \
             SELECT ?2, release_id, app_id, platform_id, arch_id, package, ?4 || ':' || slot, updater, file_name, ?5, ?6, size, \
              md5, sha256, sha512, signature, ?7, digests_verified, patch, ?4, {OF_NEW} FROM artifacts WHERE id = ?1 AND app_id = ?3"
        ),
        &params![
            original,
            id,
            &promoted.app_id,
            id_or_empty(promoted.channel_id.as_ref()),
            object.bucket,
            &object.key,
            now
        ],
    )
}

/// The copies of a release for the clients of a channel.
pub fn of_promotion(conn: &impl SqlConn, promoted: &Release) -> Result<Vec<Id>, SqlError> {
    let rows = conn.run(
        "SELECT id FROM artifacts WHERE release_id = ?1 AND copied_to = ?2 ORDER BY rowid",
        &params![&promoted.id, id_or_empty(promoted.channel_id.as_ref())],
    )?;
    rows.all(|row| row.get("id"))
}

pub fn of_artifact(conn: &impl SqlConn, original: &Id) -> Result<Vec<Id>, SqlError> {
    let rows = conn.run(
        "SELECT x.id FROM artifacts o JOIN artifacts x ON x.release_id = o.release_id AND x.platform_id = o.platform_id \
          AND x.arch_id = o.arch_id AND x.copied_to IS NOT NULL AND x.slot = x.copied_to || ':' || o.slot \
         WHERE o.id = ?1 AND o.copied_to IS NULL",
        &params![original],
    )?;
    rows.all(|row| row.get("id"))
}
