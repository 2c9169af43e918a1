//! Details of reports in the storage.
//!
//! Recorded blobs always have an object, and every object is recorded or claimed. An object is claimed for
//! deletion before it is written, and the transaction that records it releases the claim. Maintenance deletes
//! what a killed call leaves, as it does for all expired claims.

use bytes::Bytes;
use spindrift_core::{Id, StoredObject, Timestamp};
use spindrift_db::report_blobs::{self, Blob};
use spindrift_db::{Audited, SqlConn, SqlError, in_transaction, report_events, report_groups};
use spindrift_storage::{PutOptions, Storage};

use crate::objects::{PendingDeletion, location};
use crate::{Ports, ServiceError};

/// The details of reports: the rows of the database and the objects of the storage.
pub struct ReportBlobs<'a, P: Ports> {
    pub ports: &'a P,
    pub conn: &'a P::Conn,
    pub storage: &'a Storage<'a, P>,
}

impl<P: Ports> ReportBlobs<'_, P> {
    /// Stores the details of a report and counts them in their group. Then deletes the group's oldest
    /// details, so that `keep` remain. On failure nothing is recorded, and an object that may have been
    /// written stays claimed.
    pub async fn store(&self, blob: &Blob, body: Bytes, keep: u32) -> Result<(), ServiceError> {
        let Self { ports, conn, storage } = *self;
        let claim = PendingDeletion::claim(ports, conn, vec![blob.object.clone()])?;
        let content_type = Some("application/gzip".to_owned());
        let options = PutOptions { content_type, ..PutOptions::default() };
        storage.put(&location(&blob.object)?, body, options).await?;
        let old = in_transaction(conn, |conn| {
            claim.keep(conn)?;
            report_blobs::insert(conn, blob)?;
            report_events::count_details(conn, &blob.group_id, true)?;
            forget(ports, conn, report_blobs::beyond(conn, &blob.group_id, keep)?)
        })?;
        // Objects that are not deleted now stay claimed.
        let _ = old.delete(conn, storage).await;
        Ok(())
    }

    /// Deletes at most `limit` blobs that arrived before `before`, with their objects; returns how many.
    pub async fn delete_before(&self, before: Timestamp, limit: u32) -> Result<u64, ServiceError> {
        self.delete(|conn| report_blobs::expired(conn, before, limit)).await
    }

    /// Deletes groups whose last event arrived before `before`, with at most `max_blobs` of their blobs and
    /// objects; returns how many blobs. A group is deleted once its blobs are gone, and stays if an event
    /// arrives in the meantime.
    pub async fn delete_groups_before(
        &self,
        before: Timestamp,
        max_groups: u32,
        max_blobs: u32,
    ) -> Result<u64, ServiceError> {
        let find = |conn: &P::Conn| report_blobs::of_groups_before(conn, before, max_blobs);
        let deleted = self.delete(find).await?;
        report_groups::delete_before(self.conn, before, max_groups)?;
        Ok(deleted)
    }

    /// Deletes the blobs that `find` returns, with their objects; returns how many.
    async fn delete(
        &self,
        find: impl Fn(&P::Conn) -> Result<Vec<Blob>, SqlError>,
    ) -> Result<u64, ServiceError> {
        let (count, deletion) = in_transaction(self.conn, |conn| {
            let found = find(conn)?;
            Ok::<_, ServiceError>((found.len() as u64, forget(self.ports, conn, found)?))
        })?;
        deletion.delete(self.conn, self.storage).await?;
        Ok(count)
    }
}

/// Deletes blob rows in a transaction, and claims their objects for deletion.
fn forget(
    ports: &impl Ports,
    conn: &impl SqlConn,
    blobs: Vec<Blob>,
) -> Result<PendingDeletion, ServiceError> {
    let (ids, objects): (Vec<Id>, Vec<StoredObject>) =
        blobs.into_iter().map(|blob| (blob.id, blob.object)).unzip();
    if !ids.is_empty() {
        report_blobs::delete(conn, &ids)?;
    }
    PendingDeletion::claim(ports, conn, objects)
}

/// Deletes a group with all of its blobs. Call it in a transaction, and delete the returned objects next.
pub fn forget_group(
    ports: &impl Ports,
    conn: &impl Audited,
    group: &Id,
) -> Result<PendingDeletion, ServiceError> {
    let deletion = forget(ports, conn, report_blobs::of_group(conn, group)?)?;
    report_groups::delete(conn, group)?;
    Ok(deletion)
}
