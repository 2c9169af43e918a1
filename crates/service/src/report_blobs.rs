//! Details of reports in the storage.
//!
//! Nothing points at an object that is not there, and no object is left that nothing points at: an object is claimed
//! for deletion before it is written, and the claim goes in the transaction that records it. What a killed call
//! leaves is deleted by maintenance, as everything whose claim has ended.

use bytes::Bytes;
use spindrift_core::{Id, StoredObject, Timestamp};
use spindrift_db::report_blobs::{self, Blob};
use spindrift_db::{SqlConn, in_transaction, report_groups};
use spindrift_storage::{PutOptions, Storage};

use crate::objects::{claim_for_deletion, delete_claimed, give_back, location};
use crate::{Failure, Ports};

/// Stores the details of a report and counts them in their group; then deletes the group's oldest ones, so that
/// `keep` remain. On failure nothing is recorded, and what may have been written stays claimed.
pub async fn store<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    blob: &Blob,
    body: Bytes,
    keep: u32,
) -> Result<(), Failure> {
    let object = std::slice::from_ref(&blob.object);
    claim_for_deletion(conn, object, blob.created_at)?;
    let options = PutOptions { content_type: Some("application/gzip".to_owned()), ..PutOptions::default() };
    storage.put(&location(&blob.object)?, body, options).await?;
    let old = record(conn, blob, keep)?;
    // What is not deleted now stays claimed.
    let _ = delete_claimed(conn, storage, &old).await;
    Ok(())
}

/// Answers the objects that are claimed now because newer ones take their place.
fn record(conn: &impl SqlConn, blob: &Blob, keep: u32) -> Result<Vec<StoredObject>, Failure> {
    in_transaction(conn, |conn| {
        report_blobs::insert(conn, blob)?;
        report_groups::count_details(conn, &blob.group_id, true)?;
        give_back(conn, &blob.object)?;
        forget(conn, &report_blobs::beyond(conn, &blob.group_id, keep)?, blob.created_at)
    })
}

/// Forgets blobs, in a transaction. Their objects, which are answered, are claimed for deletion.
fn forget(conn: &impl SqlConn, blobs: &[Blob], now: Timestamp) -> Result<Vec<StoredObject>, Failure> {
    if blobs.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Id> = blobs.iter().map(|blob| blob.id.clone()).collect();
    let objects: Vec<StoredObject> = blobs.iter().map(|blob| blob.object.clone()).collect();
    claim_for_deletion(conn, &objects, now)?;
    report_blobs::delete(conn, &ids)?;
    Ok(objects)
}

/// Forgets a group with all of its blobs. The objects that are to be deleted now, by
/// [`delete_claimed`], are answered.
pub fn forget_group(conn: &impl SqlConn, group: &Id, now: Timestamp) -> Result<Vec<StoredObject>, Failure> {
    in_transaction(conn, |conn| {
        let objects = forget(conn, &report_blobs::of_group(conn, group)?, now)?;
        report_groups::delete(conn, group)?;
        Ok(objects)
    })
}

/// Deletes at most `limit` blobs that came before `before`, with their objects; answers how many.
pub async fn delete_before<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    before: Timestamp,
    limit: u32,
    now: Timestamp,
) -> Result<u64, Failure> {
    let objects = in_transaction(conn, |conn| forget(conn, &report_blobs::expired(conn, before, limit)?, now))?;
    delete_claimed(conn, storage, &objects).await?;
    Ok(objects.len() as u64)
}
