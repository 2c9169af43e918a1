//! Objects of releases in the storage.

use futures::StreamExt;
use spindrift_core::{StoredObject, Timestamp, Visibility};
use spindrift_db::{SqlConn, claims};
use spindrift_storage::{BucketKind, Location, Storage};
use spindrift_web::ApiError;

use crate::links::object_key;
use crate::{Failure, Ports};

/// Seconds for which a deletion keeps everybody else from writing the keys it is about to delete. Past that time
/// maintenance finishes what a killed call left.
const DELETE_CLAIM_SECONDS: i64 = 5 * 60;
/// Who holds the claim of an object that is to be deleted.
const DELETER: &str = "delete";
/// Deletions that run at the same time.
const CONCURRENT_CALLS: usize = 8;

/// The place of an object in the storage.
pub fn location(object: &StoredObject) -> Result<Location, ApiError> {
    let bucket = match object.bucket {
        Visibility::Public => BucketKind::Public,
        Visibility::Private => BucketKind::Private,
    };
    Ok(Location::new(bucket, object_key(object)?))
}

/// Claims objects for deletion. In the transaction that removes what points at them: from its commit on they are
/// nobody's, and are deleted by [`delete_claimed`] now or by maintenance later.
pub fn claim_for_deletion(
    conn: &impl SqlConn,
    objects: &[StoredObject],
    now: Timestamp,
) -> Result<(), Failure> {
    for object in objects {
        if !claims::take(conn, object, DELETER, now, now.plus_seconds(DELETE_CLAIM_SECONDS))? {
            return Err(
                ApiError::Conflict("a file of the release is being uploaded by another call".into()).into()
            );
        }
    }
    Ok(())
}

/// Gives up the claim of [`claim_for_deletion`]: something points at the object now, and it stays.
pub fn give_back(conn: &impl SqlConn, object: &StoredObject) -> Result<(), Failure> {
    Ok(claims::release(conn, object, DELETER)?)
}

/// Deletes claimed objects. What the storage does not delete now stays claimed, for maintenance.
pub async fn delete_claimed<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    objects: &[StoredObject],
) -> Result<(), Failure> {
    let mut deletions = futures::stream::iter(objects)
        .map(async |object| {
            let deleted = storage.delete(&location(object)?).await;
            Ok::<_, Failure>(deleted.is_ok().then_some(object))
        })
        .buffer_unordered(CONCURRENT_CALLS);
    while let Some(deleted) = deletions.next().await {
        if let Some(object) = deleted? {
            claims::release(conn, object, DELETER)?;
        }
    }
    Ok(())
}
