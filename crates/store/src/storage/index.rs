//! The index of all objects: one `SQLite` file, which alone determines what exists.

mod uploads;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, params};
use s3s::dto::{ETag, ETagCondition, Timestamp};
use s3s::{S3Error, S3Result, s3_error};

use super::attributes::Attributes;
use crate::error::StoreError;
use spindrift_http::blocking;

pub(super) use uploads::{MultipartUpload, OpenUpload, PartRow};

/// Settings that make acknowledged changes survive a power failure. `FULL` syncs every commit; `NORMAL` could
/// lose the last ones, including deletions whose bytes are already removed. `fullfsync` is for macOS, where a
/// plain sync reaches only the disk's cache.
const DURABLE: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON";

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS buckets (name TEXT PRIMARY KEY, created INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS objects (
        bucket TEXT NOT NULL, key TEXT NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL, etag TEXT NOT \
        NULL,
        modified INTEGER NOT NULL, attributes TEXT NOT NULL, PRIMARY KEY (bucket, key)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS uploads (
        id TEXT PRIMARY KEY, bucket TEXT NOT NULL, key TEXT NOT NULL, attributes TEXT NOT NULL,
        initiated INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS parts (
        upload TEXT NOT NULL, number INTEGER NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL, md5 TEXT \
        NOT NULL,
        modified INTEGER NOT NULL, PRIMARY KEY (upload, number)) WITHOUT ROWID;";

/// The index in the folder of a storage.
pub(super) const INDEX_FILE: &str = "index.db";

#[derive(Debug)]
pub(super) struct ObjectIndex(Mutex<Connection>);

/// An object in the index.
#[derive(Debug, Clone)]
pub(super) struct Object {
    /// Id of the file with its bytes.
    pub(super) blob: String,
    /// Size in bytes.
    pub(super) size: u64,
    /// Without quotes.
    pub(super) etag: String,
    /// Milliseconds since 1970.
    pub(super) modified: i64,
    pub(super) attributes: Attributes,
}

/// `If-Match` and `If-None-Match` of a write.
#[derive(Debug, Default)]
pub(super) struct WriteConditions {
    pub(super) if_match: Option<ETagCondition>,
    pub(super) if_none_match: Option<ETagCondition>,
}

impl ObjectIndex {
    /// Opens or creates the index and adds missing `buckets`.
    pub(super) fn open(path: &Path, buckets: &[&str]) -> Result<Self, StoreError> {
        let open = || {
            let connection = Connection::open(path)?;
            connection.busy_timeout(Duration::from_secs(5))?;
            connection.execute_batch(DURABLE)?;
            connection.execute_batch(SCHEMA)?;
            for bucket in buckets {
                connection
                    .execute("INSERT OR IGNORE INTO buckets VALUES (?1, ?2)", params![bucket, now()])?;
            }
            Ok(connection)
        };
        Ok(Self(Mutex::new(open().map_err(StoreError::database(path))?)))
    }

    /// Runs `work` with the connection.
    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> S3Result<T> {
        blocking(|| work(&mut self.lock()).map_err(S3Error::internal_error))
    }

    /// Runs `work` in a transaction, which is rolled back if `work` fails.
    fn change<T>(&self, work: impl FnOnce(&Connection) -> S3Result<T>) -> S3Result<T> {
        blocking(|| {
            let mut connection = self.lock();
            let transaction = connection
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(S3Error::internal_error)?;
            let done = work(&transaction)?;
            transaction.commit().map_err(S3Error::internal_error)?;
            Ok(done)
        })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The ids of the files of all objects and parts.
    pub(super) fn blobs(&self) -> S3Result<HashSet<String>> {
        self.with(|connection| {
            let mut statement =
                connection.prepare("SELECT blob FROM objects UNION ALL SELECT blob FROM parts")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// The names of the buckets, with their times of creation.
    pub(super) fn buckets(&self) -> S3Result<Vec<(String, i64)>> {
        self.with(|connection| {
            let mut statement =
                connection.prepare_cached("SELECT name, created FROM buckets ORDER BY name")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    /// Fails with `NoSuchBucket` unless the bucket exists.
    pub(super) fn check_bucket(&self, bucket: &str) -> S3Result<()> {
        let found = self.with(|connection| has_bucket(connection, bucket))?;
        if found { Ok(()) } else { Err(s3_error!(NoSuchBucket)) }
    }

    /// The object. Fails with `NoSuchKey` or `NoSuchBucket`.
    pub(super) fn object(&self, bucket: &str, key: &str) -> S3Result<Object> {
        let found = self.with(|connection| find(connection, bucket, key))?;
        match found {
            Some(object) => Ok(object),
            None => self.check_bucket(bucket).and(Err(s3_error!(NoSuchKey))),
        }
    }

    /// Stores `object` under `key`, if the conditions hold. Returns the id of the file that it replaces.
    pub(super) fn put(
        &self,
        bucket: &str,
        key: &str,
        object: &Object,
        conditions: &WriteConditions,
    ) -> S3Result<Option<String>> {
        self.change(|connection| put(connection, bucket, key, object, conditions))
    }

    /// Removes an object, if it exists, and returns the id of its file.
    pub(super) fn remove(&self, bucket: &str, key: &str) -> S3Result<Option<String>> {
        self.check_bucket(bucket)?;
        self.with(|connection| {
            connection
                .prepare_cached("DELETE FROM objects WHERE bucket = ?1 AND key = ?2 RETURNING blob")?
                .query_row([bucket, key], |row| row.get(0))
                .optional()
        })
    }

    /// Calls `visit` for the objects whose keys begin with `prefix` and come after `after`, in the order of
    /// the keys' bytes, until `visit` returns `false`.
    pub(super) fn scan(
        &self,
        bucket: &str,
        prefix: &str,
        after: &str,
        mut visit: impl FnMut(String, Object) -> bool,
    ) -> S3Result<()> {
        self.check_bucket(bucket)?;
        self.with(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT blob, size, etag, modified, attributes, key FROM objects
                 WHERE bucket = ?1 AND key >= ?2 AND key > ?3 ORDER BY key",
            )?;
            let mut rows = statement.query([bucket, prefix, after])?;
            while let Some(row) = rows.next()? {
                let key: String = row.get(5)?;
                if !key.starts_with(prefix) || !visit(key, object(row)?) {
                    break;
                }
            }
            Ok(())
        })
    }
}

/// The ids of the files of all objects and parts, with their sizes in bytes.
pub(super) fn sizes(connection: &Connection) -> rusqlite::Result<HashMap<String, u64>> {
    let mut statement =
        connection.prepare("SELECT blob, size FROM objects UNION ALL SELECT blob, size FROM parts")?;
    let row = |row: &Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)?.try_into().unwrap_or(0)));
    statement.query_map([], row)?.collect()
}

fn has_bucket(connection: &Connection, bucket: &str) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM buckets WHERE name = ?1")?.exists([bucket])
}

fn find(connection: &Connection, bucket: &str, key: &str) -> rusqlite::Result<Option<Object>> {
    connection
        .prepare_cached(
            "SELECT blob, size, etag, modified, attributes FROM objects WHERE bucket = ?1 AND key = ?2",
        )?
        .query_row([bucket, key], object)
        .optional()
}

fn put(
    connection: &Connection,
    bucket: &str,
    key: &str,
    object: &Object,
    conditions: &WriteConditions,
) -> S3Result<Option<String>> {
    if !has_bucket(connection, bucket).map_err(S3Error::internal_error)? {
        return Err(s3_error!(NoSuchBucket));
    }
    let old = find(connection, bucket, key).map_err(S3Error::internal_error)?;
    if !conditions.are_met(old.as_ref()) {
        return Err(s3_error!(PreconditionFailed));
    }
    let attributes = serde_json::to_string(&object.attributes).map_err(S3Error::internal_error)?;
    let size = i64::try_from(object.size).map_err(S3Error::internal_error)?;
    connection
        .prepare_cached("INSERT OR REPLACE INTO objects VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        .and_then(|mut statement| {
            statement.execute(params![
                bucket,
                key,
                object.blob,
                size,
                object.etag,
                object.modified,
                attributes
            ])
        })
        .map_err(S3Error::internal_error)?;
    Ok(old.map(|old| old.blob))
}

fn object(row: &Row<'_>) -> rusqlite::Result<Object> {
    let attributes: String = row.get(4)?;
    Ok(Object {
        blob: row.get(0)?,
        size: row.get::<_, i64>(1)?.try_into().unwrap_or(0),
        etag: row.get(2)?,
        modified: row.get(3)?,
        attributes: serde_json::from_str(&attributes).unwrap_or_default(),
    })
}

impl Object {
    pub(super) fn e_tag(&self) -> ETag {
        ETag::Strong(self.etag.clone())
    }

    pub(super) fn last_modified(&self) -> Timestamp {
        timestamp(self.modified)
    }
}

impl WriteConditions {
    pub(super) fn are_met(&self, old: Option<&Object>) -> bool {
        let fits = |condition: &ETagCondition| match (condition, old) {
            (_, None) => false,
            (ETagCondition::Any, Some(_)) => true,
            (ETagCondition::ETag(etag), Some(old)) => etag.weak_cmp(&old.e_tag()),
        };
        self.if_match.as_ref().is_none_or(fits) && !self.if_none_match.as_ref().is_some_and(fits)
    }
}

/// Milliseconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The time `milliseconds` after the start of 1970.
pub(super) fn timestamp(milliseconds: i64) -> Timestamp {
    let since = Duration::from_millis(milliseconds.try_into().unwrap_or(0));
    Timestamp::from(UNIX_EPOCH + since)
}
