//! Stored files of releases.

use spindrift_core::{Artifact, DownloadMode, FileName, Id, StoredObject, Target, Updater, Visibility};

use crate::row::{Row, id_or_empty};
use crate::{SqlConn, SqlError};

/// `bucket` and `storage_key` from two columns.
pub(crate) fn object(row: &Row, first: usize) -> Result<StoredObject, SqlError> {
    let bucket = match row.text(first)? {
        "public" => Visibility::Public,
        "private" => Visibility::Private,
        other => return Err(SqlError::Unavailable(format!("unknown bucket kind {other}"))),
    };
    Ok(StoredObject { bucket, key: row.text(first + 1)?.to_owned() })
}

const COLUMNS: &str = "id, package, slot, updater, file_name, bucket, storage_key, size, md5, sha256, sha512, signature, created_at";

fn artifact(row: crate::SqlRow) -> Result<Artifact, SqlError> {
    let row = Row(row);
    Ok(Artifact {
        id: row.id(0)?,
        package: row.parsed(1)?,
        slot: row.text(2)?.to_owned(),
        updater: row.parsed(3)?,
        file_name: row.parsed(4)?,
        object: object(&row, 5)?,
        size: row.unsigned(7)?,
        md5: row.text(8)?.to_owned(),
        sha256: row.optional_text(9)?,
        sha512: row.optional_text(10)?,
        signature: row.optional_text(11)?,
        created_at: row.time(12)?,
    })
}

/// Records an artifact. A second one for the same object or the same place in the release is an
/// [`SqlError::Constraint`].
pub fn insert(
    conn: &impl SqlConn,
    release: &Id,
    app: &Id,
    target: &Target,
    artifact: &Artifact,
) -> Result<(), SqlError> {
    conn.run(
        "INSERT INTO artifacts (id, release_id, app_id, platform_id, arch_id, package, slot, updater, file_name, bucket, \
          storage_key, size, md5, sha256, sha512, signature, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        &[
            artifact.id.as_str().into(),
            release.as_str().into(),
            app.as_str().into(),
            id_or_empty(target.platform_id.as_ref()),
            id_or_empty(target.arch_id.as_ref()),
            artifact.package.as_str().into(),
            artifact.slot.as_str().into(),
            artifact.updater.as_str().into(),
            artifact.file_name.as_str().into(),
            artifact.object.bucket.as_str().into(),
            artifact.object.key.as_str().into(),
            i64::try_from(artifact.size).unwrap_or(i64::MAX).into(),
            artifact.md5.as_str().into(),
            artifact.sha256.as_deref().into(),
            artifact.sha512.as_deref().into(),
            artifact.signature.as_deref().into(),
            artifact.created_at.as_millis().into(),
        ],
    )
    .map(|_| ())
}

/// The artifacts of a release, in the order of recording.
pub fn of_release(conn: &impl SqlConn, release: &Id) -> Result<Vec<Artifact>, SqlError> {
    let sql = format!("SELECT {COLUMNS} FROM artifacts WHERE release_id = ?1 ORDER BY rowid");
    conn.run(&sql, &[release.as_str().into()])?.into_iter().map(artifact).collect()
}

/// The names of the files that an application has for an updater in a platform and architecture, of all releases.
pub fn file_names(
    conn: &impl SqlConn,
    app: &Id,
    target: &Target,
    updater: Updater,
) -> Result<Vec<FileName>, SqlError> {
    let rows = conn.run(
        "SELECT file_name FROM artifacts WHERE app_id = ?1 AND platform_id = ?2 AND arch_id = ?3 AND updater = ?4",
        &[
            app.as_str().into(),
            id_or_empty(target.platform_id.as_ref()),
            id_or_empty(target.arch_id.as_ref()),
            updater.as_str().into(),
        ],
    )?;
    rows.into_iter().map(|row| Row(row).parsed(0)).collect()
}

/// The places that a release has artifacts in, of one platform and architecture, and which artifact is there.
pub fn taken_slots(
    conn: &impl SqlConn,
    release: &Id,
    target: &Target,
) -> Result<Vec<(String, Id)>, SqlError> {
    let rows = conn.run(
        "SELECT slot, id FROM artifacts WHERE release_id = ?1 AND platform_id = ?2 AND arch_id = ?3",
        &[
            release.as_str().into(),
            id_or_empty(target.platform_id.as_ref()),
            id_or_empty(target.arch_id.as_ref()),
        ],
    )?;
    rows.into_iter()
        .map(|row| {
            let row = Row(row);
            Ok((row.text(0)?.to_owned(), row.id(1)?))
        })
        .collect()
}

/// Forgets one artifact.
pub fn delete(conn: &impl SqlConn, artifact: &Id) -> Result<(), SqlError> {
    conn.run("DELETE FROM artifacts WHERE id = ?1", &[artifact.as_str().into()]).map(|_| ())
}

/// A recorded artifact with what decides who may download it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The artifact.
    pub artifact: Artifact,
    /// Its application.
    pub app_id: Id,
    /// Its owner.
    pub owner_id: Id,
    /// Whether its release is published.
    pub published: bool,
    /// The channel of its release; `None`: the owner uses no channels.
    pub channel_id: Option<Id>,
    /// See [`spindrift_core::App::download_mode`].
    pub download_mode: Option<DownloadMode>,
}

/// The artifact recorded for an object.
pub fn by_object(conn: &impl SqlConn, object: &StoredObject) -> Result<Option<Recorded>, SqlError> {
    let columns = COLUMNS.split(", ").map(|column| format!("x.{column}")).collect::<Vec<_>>().join(", ");
    let sql = format!(
        "SELECT {columns}, x.app_id, r.owner_id, r.published, r.channel_id, a.download_mode \
         FROM artifacts x JOIN releases r ON r.id = x.release_id JOIN apps a ON a.id = x.app_id \
         WHERE x.bucket = ?1 AND x.storage_key = ?2"
    );
    let rows = conn.run(&sql, &[object.bucket.as_str().into(), object.key.as_str().into()])?;
    rows.into_iter()
        .next()
        .map(|row| {
            let extra = Row(row.clone());
            Ok(Recorded {
                artifact: artifact(row)?,
                app_id: extra.id(13)?,
                owner_id: extra.id(14)?,
                published: extra.bool(15)?,
                channel_id: extra.optional_id(16)?,
                download_mode: extra.optional_parsed(17)?,
            })
        })
        .transpose()
}
