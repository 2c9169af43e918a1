//! Objects in the storage: their locations, and their deletion.

pub mod download;
pub mod first_failure;
pub mod report_blobs;
pub mod staged;

use futures::StreamExt;
use spindrift_core::{StoredObject, Timestamp, Visibility};
use spindrift_db::SqlConn;
use spindrift_db::claims::{self, Holder};
use spindrift_storage::{BucketKind, Location, Storage};

use crate::links::object_key;
use crate::{Ports, ServiceError, settings};

/// Seconds for which a deletion prevents others from writing the keys that it is about to delete. After that
/// time maintenance finishes what a killed call left.
pub const DELETE_CLAIM_SECONDS: i64 = 5 * 60;
/// Seconds before the end of its claims at which a call stops deleting and leaves the rest to maintenance. A
/// deletion in flight must reach the storage before another call may write the key.
const LAST_SECONDS: i64 = 60;
/// Maximum number of concurrent deletions or copies. More would exhaust the connections of the host.
pub const CONCURRENT_CALLS: usize = 8;

/// The object storage. Fails if one of its settings is invalid.
pub fn storage<P: Ports>(ports: &P) -> Result<Storage<'_, P>, ServiceError> {
    Ok(Storage::new(settings::storage(ports)?, ports, || ports.now()))
}

/// The location of an object in the storage.
pub fn location(object: &StoredObject) -> Result<Location, ServiceError> {
    let bucket = match object.bucket {
        Visibility::Public => BucketKind::Public,
        Visibility::Private => BucketKind::Private,
    };
    Ok(Location::new(bucket, object_key(object)?))
}

/// Objects that one call has claimed for deletion. A call also claims objects that it is about to write, so
/// that they are deleted unless it keeps them.
#[derive(Debug)]
pub struct PendingDeletion {
    holder: Holder,
    /// When the claims expire.
    until: Timestamp,
    objects: Vec<StoredObject>,
}

impl PendingDeletion {
    /// Claims objects for deletion. Call it in the transaction that removes the references to them. Once that
    /// is committed, nothing refers to the objects, and [`delete`](Self::delete) deletes them now or
    /// maintenance does later. Fails while an upload has a claim on one of them.
    pub fn claim(
        ports: &impl Ports,
        conn: &impl SqlConn,
        objects: Vec<StoredObject>,
    ) -> Result<Self, ServiceError> {
        Self::claim_for(ports, conn, objects, DELETE_CLAIM_SECONDS)
    }

    /// Like [`claim`](Self::claim), with a duration of its own, in seconds: longer than it takes to write the
    /// objects.
    pub fn claim_for(
        ports: &impl Ports,
        conn: &impl SqlConn,
        objects: Vec<StoredObject>,
        seconds: i64,
    ) -> Result<Self, ServiceError> {
        let (holder, now) = (Holder::deletion(&ports.new_id()), ports.now());
        let until = now.plus_seconds(seconds);
        for object in &objects {
            if !claims::take(conn, object, &holder, now, until)? {
                return Err(ServiceError::FileInUse("a file of the release"));
            }
        }
        Ok(Self { holder, until, objects })
    }

    /// Releases the claims, so that the objects stay. Call it in the transaction that refers to the objects
    /// again. Fails if a claim has expired and another call has taken it.
    pub fn keep(&self, conn: &impl SqlConn) -> Result<(), ServiceError> {
        for object in &self.objects {
            if !claims::is_held(conn, object, &self.holder)? {
                return Err(ServiceError::FileInUse("a file"));
            }
            claims::release(conn, object, &self.holder)?;
        }
        Ok(())
    }

    /// Whether there is nothing to delete.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Deletes the objects. Objects that are not deleted before the claims expire, or that the storage fails
    /// to delete, stay claimed for maintenance.
    pub async fn delete(
        &self,
        conn: &impl SqlConn,
        storage: &Storage<'_, impl Ports>,
    ) -> Result<(), ServiceError> {
        let end = self.until.plus_seconds(-LAST_SECONDS);
        let mut deletions = futures::stream::iter(&self.objects)
            .map(async |object| {
                if storage.now() >= end {
                    return Ok(None);
                }
                let deleted = storage.delete(&location(object)?).await;
                Ok::<_, ServiceError>(deleted.is_ok().then_some(object))
            })
            .buffer_unordered(CONCURRENT_CALLS);
        while let Some(deleted) = deletions.next().await {
            if let Some(object) = deleted? {
                claims::release(conn, object, &self.holder)?;
            }
        }
        Ok(())
    }
}
