//! Writing one folder of static answers.

use std::collections::BTreeMap;

use base16ct::lower::encode_string as hex;
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use md5::{Digest, Md5};
use spindrift_core::{Scope, ScopePath, Timestamp};
use spindrift_db::projections;
use spindrift_storage::{BucketKind, Location, ObjectKey, PutOptions, Storage, StorageConfig};

use super::objects::{self, AnswerObjects, ROOT};
use crate::deadline::Deadline;
use crate::{Ports, ServiceError, settings};

const CONTENT_TYPE: &str = "application/json";
/// Seconds that a change spends on its static answers, and that maintenance spends on one folder.
pub(super) const WRITE_SECONDS: i64 = 10;
/// The `Cache-Control` that the service itself sends with these answers.
const CACHE_CONTROL: &str = "public, max-age=60, must-revalidate";
/// Concurrent writes and deletions of objects.
const CONCURRENT_CALLS: usize = 32;
/// Seconds after which no request of an attempt can arrive at the storage any more. An attempt sends nothing
/// after [`WRITE_SECONDS`], and then waits at most that long in each phase of a request: connecting, sending,
/// waiting for the response.
const ATTEMPT_SECONDS: i64 = 6 * WRITE_SECONDS;

/// The scopes that requests for a folder's path may ask for; none if the path is invalid.
pub(super) fn scopes(folder: &str) -> Vec<Scope> {
    ScopePath::from_folder(folder).and_then(|path| path.scopes().ok()).unwrap_or_default()
}

/// Writes folders during one request.
pub(super) struct Writer<'a, P: Ports> {
    ports: &'a P,
    conn: &'a P::Conn,
    config: StorageConfig,
    made_with: i64,
}

/// The result of one attempt to write a folder.
struct FolderUpdate {
    /// Whether the folder should have no objects now.
    is_empty: bool,
    /// The number of deleted objects.
    removed: u64,
}

impl<'a, P: Ports> Writer<'a, P> {
    pub(super) fn new(ports: &'a P, conn: &'a P::Conn) -> Result<Self, ServiceError> {
        Ok(Self { ports, conn, config: settings::storage(ports)?, made_with: objects::inputs_digest(ports)? })
    }

    /// Writes a folder from the database, and repeats that if the data changes in the meantime. Sends nothing
    /// after `until`. Returns how many objects were deleted. After a failure it is unknown which requests
    /// arrived. So the attempt is not ended, and its time has to run out before the folder can count as
    /// written.
    pub(super) async fn bring_up_to_date(&self, folder: &str, until: Timestamp) -> Result<u64, ServiceError> {
        let mut removed = 0;
        loop {
            let (now, writer) = (self.ports.now(), self.ports.new_id());
            let end = now.plus_seconds(ATTEMPT_SECONDS);
            let Some(attempt) = projections::begin(self.conn, folder, writer.as_str(), now, end)? else {
                return Ok(removed);
            };
            let written = self.write(folder, until).await?;
            removed += written.removed;
            let is_over = (written.is_empty && projections::forget(self.conn, &attempt)?)
                || !projections::finish(self.conn, &attempt, self.made_with)?;
            if is_over {
                return Ok(removed);
            }
        }
    }

    async fn write(&self, folder: &str, until: Timestamp) -> Result<FolderUpdate, ServiceError> {
        let deadline = Deadline { ports: self.ports, until };
        let storage = Storage::new(self.config.clone(), &deadline, || self.ports.now());
        let wanted = match ScopePath::from_folder(folder) {
            Some(path) => objects::expected_objects(self.ports, self.conn, &path)?,
            None => AnswerObjects::new(),
        };
        let is_empty = wanted.is_empty();
        let existing = list(&storage, &format!("{ROOT}{folder}/")).await?;
        let calls = calls(wanted, existing)?;
        let removed = calls.iter().filter(|call| matches!(call, StorageCall::Delete(_))).count();
        stream::iter(calls)
            .map(|call| make(&storage, call))
            .buffer_unordered(CONCURRENT_CALLS)
            .try_collect::<()>()
            .await?;
        Ok(FolderUpdate { is_empty, removed: u64::try_from(removed).unwrap_or(u64::MAX) })
    }
}

/// The entity tags of the existing objects, by key.
async fn list<P: Ports>(
    storage: &Storage<'_, Deadline<'_, P>>,
    prefix: &str,
) -> Result<BTreeMap<String, String>, ServiceError> {
    let objects = storage.list_all(BucketKind::Cdn, prefix).await?;
    Ok(objects.into_iter().map(|object| (object.key.to_string(), object.etag)).collect())
}

/// One call to the storage.
#[derive(Debug, PartialEq, Eq)]
enum StorageCall {
    Put(Location, Bytes, [u8; 16]),
    Delete(Location),
}

/// The calls that turn the objects `existing`, given with their entity tags, into the `wanted` ones. The tag
/// of a small object is its MD5. With a storage that uses other tags, all objects are written.
fn calls(
    wanted: AnswerObjects,
    mut existing: BTreeMap<String, String>,
) -> Result<Vec<StorageCall>, ServiceError> {
    let mut calls = Vec::new();
    for (key, body) in wanted {
        let md5: [u8; 16] = Md5::digest(&body).into();
        let tag = existing.remove(&key);
        if tag.is_none_or(|tag| tag != hex(&md5)) {
            calls.push(StorageCall::Put(location(&key)?, body, md5));
        }
    }
    for key in existing.into_keys() {
        calls.push(StorageCall::Delete(location(&key)?));
    }
    Ok(calls)
}

fn location(key: &str) -> Result<Location, ServiceError> {
    let key = ObjectKey::new(key).map_err(|error| ServiceError::Internal(error.to_string()))?;
    Ok(Location::new(BucketKind::Cdn, key))
}

async fn make<P: Ports>(
    storage: &Storage<'_, Deadline<'_, P>>,
    call: StorageCall,
) -> Result<(), ServiceError> {
    match call {
        StorageCall::Put(at, body, md5) => {
            let options = PutOptions {
                content_type: Some(CONTENT_TYPE.to_owned()),
                cache_control: Some(CACHE_CONTROL.to_owned()),
                md5: Some(md5),
            };
            Ok(storage.put(&at, body, options).await?)
        }
        StorageCall::Delete(at) => Ok(storage.delete(&at).await?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &'static str) -> Bytes {
        Bytes::from_static(text.as_bytes())
    }

    #[test]
    fn only_differences_cost_a_call() {
        let at = |key: &str| location(key).unwrap();
        let md5 = |text: &str| -> [u8; 16] { Md5::digest(text).into() };
        let tag = |text: &str| hex(&md5(text));
        let wanted = [("same", "a"), ("changed", "b"), ("new", "c"), ("foreign", "d")];
        let wanted = wanted.map(|(key, text)| (key.to_owned(), body(text))).into();
        let existing =
            [("same", tag("a")), ("changed", tag("x")), ("foreign", "\"7\"".to_owned()), ("old", tag("a"))];
        let existing = existing.map(|(key, tag)| (key.to_owned(), tag)).into();

        let expected = [
            StorageCall::Put(at("changed"), body("b"), md5("b")),
            StorageCall::Put(at("foreign"), body("d"), md5("d")),
            StorageCall::Put(at("new"), body("c"), md5("c")),
            StorageCall::Delete(at("old")),
        ];
        assert_eq!(calls(wanted, existing).unwrap(), expected);
    }
}
