//! Multipart uploads that are still open.

use rusqlite::{Connection, OptionalExtension as _, params};
use s3s::{S3Error, S3Result, s3_error};

use super::{Object, ObjectIndex, WriteConditions, now, put};
use crate::storage::attributes::Attributes;

/// An open upload.
#[derive(Debug)]
pub(in crate::storage) struct MultipartUpload {
    pub(in crate::storage) id: String,
    pub(in crate::storage) bucket: String,
    pub(in crate::storage) key: String,
    pub(in crate::storage) attributes: Attributes,
}

/// An open upload in a listing.
#[derive(Debug, Clone)]
pub(in crate::storage) struct OpenUpload {
    pub(in crate::storage) key: String,
    pub(in crate::storage) id: String,
    /// When it was started, in milliseconds since 1970.
    pub(in crate::storage) initiated: i64,
}

/// A received part.
#[derive(Debug, Clone)]
pub(in crate::storage) struct PartRow {
    /// 1 to 10000.
    pub(in crate::storage) number: i32,
    pub(in crate::storage) blob: String,
    /// Size in bytes.
    pub(in crate::storage) size: u64,
    /// In hexadecimal.
    pub(in crate::storage) md5: String,
    /// Milliseconds since 1970.
    pub(in crate::storage) modified: i64,
}

impl ObjectIndex {
    pub(in crate::storage) fn begin_upload(&self, upload: &MultipartUpload) -> S3Result<()> {
        self.check_bucket(&upload.bucket)?;
        let attributes = serde_json::to_string(&upload.attributes).map_err(S3Error::internal_error)?;
        self.with(|connection| {
            let sql =
                "INSERT INTO uploads (id, bucket, key, attributes, initiated) VALUES (?1, ?2, ?3, ?4, ?5)";
            connection.prepare_cached(sql)?.execute(params![
                upload.id,
                upload.bucket,
                upload.key,
                attributes,
                now()
            ])
        })
        .map(drop)
    }

    /// Open uploads for keys that start with `prefix`, sorted by key and id. Returns at most `limit` of them
    /// that come after the pair `after`.
    pub(in crate::storage) fn open_uploads(
        &self,
        bucket: &str,
        prefix: &str,
        (after_key, after_id): (&str, &str),
        limit: usize,
    ) -> S3Result<Vec<OpenUpload>> {
        self.check_bucket(bucket)?;
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT key, id, initiated FROM uploads WHERE bucket = ?1 AND substr(key, 1, length(?2)) = \
                 ?2 AND (key, id) > (?3, ?4)
                 ORDER BY key, id LIMIT ?5",
            )?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            statement
                .query_map(params![bucket, prefix, after_key, after_id, limit], |row| {
                    Ok(OpenUpload { key: row.get(0)?, id: row.get(1)?, initiated: row.get(2)? })
                })?
                .collect()
        })
    }

    /// The upload. Fails unless it belongs to this object.
    pub(in crate::storage) fn upload(&self, id: &str, bucket: &str, key: &str) -> S3Result<MultipartUpload> {
        let found: Option<String> = self.with(|connection| {
            connection
                .prepare_cached("SELECT attributes FROM uploads WHERE id = ?1 AND bucket = ?2 AND key = ?3")?
                .query_row([id, bucket, key], |row| row.get(0))
                .optional()
        })?;
        let attributes = found.ok_or_else(|| s3_error!(NoSuchUpload))?;
        Ok(MultipartUpload {
            id: id.to_owned(),
            bucket: bucket.to_owned(),
            key: key.to_owned(),
            attributes: serde_json::from_str(&attributes).map_err(S3Error::internal_error)?,
        })
    }

    /// Adds or replaces a part. Returns the id of the file that it replaces.
    pub(in crate::storage) fn put_part(
        &self,
        upload: &MultipartUpload,
        part: &PartRow,
    ) -> S3Result<Option<String>> {
        let size = i64::try_from(part.size).map_err(S3Error::internal_error)?;
        self.change(|connection| {
            check_upload(connection, &upload.id)?;
            let replace = || {
                let old = connection
                    .prepare_cached("SELECT blob FROM parts WHERE upload = ?1 AND number = ?2")?
                    .query_row(params![upload.id, part.number], |row| row.get(0))
                    .optional()?;
                connection
                    .prepare_cached("INSERT OR REPLACE INTO parts VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
                    .execute(params![upload.id, part.number, part.blob, size, part.md5, part.modified])?;
                Ok(old)
            };
            replace().map_err(|error: rusqlite::Error| S3Error::internal_error(error))
        })
    }

    /// The parts received so far, sorted by number.
    pub(in crate::storage) fn parts(&self, upload: &str) -> S3Result<Vec<PartRow>> {
        self.with(|connection| parts(connection, upload))
    }

    /// Makes the joined object visible, and removes the upload. Returns the ids of files that are no longer
    /// needed.
    pub(in crate::storage) fn finish_upload(
        &self,
        upload: &MultipartUpload,
        object: &Object,
        conditions: &WriteConditions,
    ) -> S3Result<Vec<String>> {
        self.change(|connection| {
            check_upload(connection, &upload.id)?;
            let old = put(connection, &upload.bucket, &upload.key, object, conditions)?;
            let mut unused = forget(connection, &upload.id).map_err(S3Error::internal_error)?;
            unused.extend(old);
            Ok(unused)
        })
    }

    /// Removes an upload. Returns the ids of files that are no longer needed.
    pub(in crate::storage) fn abort_upload(&self, upload: &MultipartUpload) -> S3Result<Vec<String>> {
        self.change(|connection| forget(connection, &upload.id).map_err(S3Error::internal_error))
    }
}

fn check_upload(connection: &Connection, id: &str) -> S3Result<()> {
    let mut statement =
        connection.prepare_cached("SELECT 1 FROM uploads WHERE id = ?1").map_err(S3Error::internal_error)?;
    if statement.exists([id]).map_err(S3Error::internal_error)? {
        Ok(())
    } else {
        Err(s3_error!(NoSuchUpload))
    }
}

fn parts(connection: &Connection, upload: &str) -> rusqlite::Result<Vec<PartRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT number, blob, size, md5, modified FROM parts WHERE upload = ?1 ORDER BY number",
    )?;
    let rows = statement.query_map([upload], |row| {
        Ok(PartRow {
            number: row.get(0)?,
            blob: row.get(1)?,
            size: row.get::<_, i64>(2)?.try_into().unwrap_or(0),
            md5: row.get(3)?,
            modified: row.get(4)?,
        })
    })?;
    rows.collect()
}

fn forget(connection: &Connection, upload: &str) -> rusqlite::Result<Vec<String>> {
    let unused = parts(connection, upload)?.into_iter().map(|part| part.blob).collect();
    connection.execute("DELETE FROM parts WHERE upload = ?1", [upload])?;
    connection.execute("DELETE FROM uploads WHERE id = ?1", [upload])?;
    Ok(unused)
}
