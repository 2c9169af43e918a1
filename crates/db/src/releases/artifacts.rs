//! Recorded files of releases.

use spindrift_core::{Artifact, DownloadMode, FileName, Id, StoredObject, Target, Timestamp};

use crate::changes::Change;
use crate::offered::{FILES, OF_NEW, visible};
use crate::row::{Row, target_ids, to_json};
use crate::{SqlConn, SqlError, params};

/// Reads a row with the columns `bucket` and `storage_key`.
pub(crate) fn object(row: &Row<'_>) -> Result<StoredObject, SqlError> {
    Ok(StoredObject { bucket: row.get("bucket")?, key: row.get("storage_key")? })
}

const COLUMNS: &str = "id, package, slot, updater, file_name, bucket, storage_key, size, md5, sha256, sha512, digests_verified, signature, patch, built_by, created_at";

fn artifact(row: &Row<'_>) -> Result<Artifact, SqlError> {
    Ok(Artifact {
        id: row.get("id")?,
        package: row.get("package")?,
        slot: row.get("slot")?,
        updater: row.get("updater")?,
        file_name: row.get("file_name")?,
        object: object(row)?,
        size: row.get("size")?,
        md5: row.get("md5")?,
        sha256: row.get("sha256")?,
        sha512: row.get("sha512")?,
        are_digests_verified: row.get("digests_verified")?,
        signature: row.get("signature")?,
        patch: row.optional_json("patch")?,
        built_by: row.optional_json("built_by")?,
        created_at: row.get("created_at")?,
    })
}

/// Inserts an artifact. Where signed metadata decides what may be offered, it is not offered yet. A second
/// one for the same object or the same slot of the release is an [`SqlError::Constraint`].
pub fn insert(
    conn: &Change<'_, impl SqlConn>,
    release: &Id,
    app: &Id,
    target: &Target,
    artifact: &Artifact,
) -> Result<(), SqlError> {
    let [_, platform, arch] = target_ids(target);
    conn.execute(
        &format!(
            "INSERT INTO artifacts (id, release_id, app_id, platform_id, arch_id, package, slot, updater, file_name, bucket, \
              storage_key, size, md5, sha256, sha512, signature, created_at, digests_verified, patch, built_by, listing) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, {OF_NEW})"
        ),
        &params![
            &artifact.id,
            release,
            app,
            platform,
            arch,
            &artifact.package,
            &artifact.slot,
            artifact.updater,
            &artifact.file_name,
            artifact.object.bucket,
            &artifact.object.key,
            artifact.size,
            &artifact.md5,
            artifact.sha256.as_deref(),
            artifact.sha512.as_deref(),
            artifact.signature.as_deref(),
            artifact.created_at,
            artifact.are_digests_verified,
            artifact.patch.as_ref().map(to_json).transpose()?,
            artifact.built_by.as_ref().map(to_json).transpose()?,
        ],
    )
}

/// The uploaded artifacts of a release, in the order in which they were recorded.
pub fn of_release(conn: &impl SqlConn, release: &Id) -> Result<Vec<Artifact>, SqlError> {
    let sql =
        format!("SELECT {COLUMNS} FROM artifacts WHERE release_id = ?1 AND copied_to IS NULL ORDER BY rowid");
    conn.run(&sql, &params![release])?.all(artifact)
}

/// Like [`of_release`], with the copies of these artifacts as the second value.
pub fn with_copies(conn: &impl SqlConn, release: &Id) -> Result<(Vec<Artifact>, Vec<Artifact>), SqlError> {
    let sql = format!("SELECT {COLUMNS}, copied_to FROM artifacts WHERE release_id = ?1 ORDER BY rowid");
    let all: Vec<(bool, Artifact)> = conn
        .run(&sql, &params![release])?
        .all(|row| Ok((row.get::<Option<Id>>("copied_to")?.is_some(), artifact(row)?)))?;
    let (copies, uploaded): (Vec<_>, Vec<_>) = all.into_iter().partition(|(is_copy, _)| *is_copy);
    let artifacts = |all: Vec<(bool, Artifact)>| all.into_iter().map(|(_, artifact)| artifact).collect();
    Ok((artifacts(uploaded), artifacts(copies)))
}

/// The file names in one platform and architecture, over all releases of the application.
pub fn file_names(conn: &impl SqlConn, app: &Id, target: &Target) -> Result<Vec<FileName>, SqlError> {
    let [_, platform, arch] = target_ids(target);
    let rows = conn.run(
        "SELECT file_name FROM artifacts WHERE app_id = ?1 AND platform_id = ?2 AND arch_id = ?3",
        &params![app, platform, arch],
    )?;
    rows.all(|row| row.get("file_name"))
}

/// The taken slots of a release in one platform and architecture, with their artifacts.
pub fn taken_slots(
    conn: &impl SqlConn,
    release: &Id,
    target: &Target,
) -> Result<Vec<(String, Id)>, SqlError> {
    let [_, platform, arch] = target_ids(target);
    let rows = conn.run(
        "SELECT slot, id FROM artifacts \
          WHERE release_id = ?1 AND platform_id = ?2 AND arch_id = ?3 AND copied_to IS NULL",
        &params![release, platform, arch],
    )?;
    rows.all(|row| Ok((row.get("slot")?, row.get("id")?)))
}

/// The patches that make an artifact, and were uploaded with it.
pub fn patches_of(conn: &impl SqlConn, file: &Id) -> Result<Vec<Id>, SqlError> {
    let rows = conn.run(
        "SELECT x.id FROM artifacts m JOIN artifacts x ON x.release_id = m.release_id AND x.platform_id = m.platform_id \
          AND x.arch_id = m.arch_id AND x.copied_to IS m.copied_to AND json_extract(x.patch, '$.package') = m.package \
         WHERE m.id = ?1 AND m.patch IS NULL",
        &params![file],
    )?;
    rows.all(|row| row.get("id"))
}

pub fn delete(conn: &Change<'_, impl SqlConn>, artifact: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM artifacts WHERE id = ?1", &params![artifact])
}

/// A recorded artifact, with the data that decides who may download it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnedArtifact {
    pub artifact: Artifact,
    pub app_id: Id,
    pub owner_id: Id,
    /// Whether its release is published.
    pub published: bool,
    /// Whether its release was withdrawn.
    pub is_withdrawn: bool,
    /// The channel of its release, and those in which clients see a promotion that includes it. Empty if the
    /// owner uses no channels.
    pub channel_ids: Vec<Id>,
    /// See [`spindrift_core::App::download_mode`].
    pub download_mode: Option<DownloadMode>,
}

/// The artifact recorded for an object, as of a given time.
pub fn by_object(
    conn: &impl SqlConn,
    object: &StoredObject,
    now: Timestamp,
) -> Result<Option<OwnedArtifact>, SqlError> {
    let columns = columns_of_x();
    let sql = format!(
        "SELECT {columns}, x.app_id, r.owner_id, {} AS published, r.withdrawn_at IS NOT NULL AS is_withdrawn, \
          r.channel_id, r.is_promoted, a.download_mode \
         FROM {FILES} JOIN apps a ON a.id = x.app_id WHERE x.bucket = ?1 AND x.storage_key = ?2 ORDER BY r.is_promoted",
        visible("?3")
    );
    let offered: Vec<OwnedArtifact> =
        conn.run(&sql, &params![object.bucket, &object.key, now])?.all(owned_artifact)?;
    Ok(offered.into_iter().reduce(OwnedArtifact::and))
}

impl OwnedArtifact {
    /// Merges an offer of the artifact with a promotion of it. A promotion that clients do not see admits
    /// nobody to the file.
    fn and(mut self, mut promoted: Self) -> Self {
        if promoted.published {
            self.published = true;
            self.channel_ids.append(&mut promoted.channel_ids);
        }
        self
    }
}

/// The columns of the artifact `x`.
pub(crate) fn columns_of_x() -> String {
    COLUMNS.split(", ").map(|column| format!("x.{column}")).collect::<Vec<_>>().join(", ")
}

/// Reads a row with [`columns_of_x`], the application's id, owner and download mode, and `published`,
/// `is_withdrawn` and `channel_id` of one of its offers.
pub(crate) fn owned_artifact(row: &Row<'_>) -> Result<OwnedArtifact, SqlError> {
    Ok(OwnedArtifact {
        artifact: artifact(row)?,
        app_id: row.get("app_id")?,
        owner_id: row.get("owner_id")?,
        published: row.get("published")?,
        is_withdrawn: row.get("is_withdrawn")?,
        channel_ids: row.get::<Option<Id>>("channel_id")?.into_iter().collect(),
        download_mode: row.get("download_mode")?,
    })
}
