//! Objects in the storage that nothing refers to any more. An object that cannot be deleted is left for a
//! later run, and the run continues with the others.

use std::collections::HashSet;

use spindrift_api::MaintenanceBody;
use spindrift_core::{Id, StoredObject, Timestamp};
use spindrift_db::claims::{self, Holder};
use spindrift_db::{SqlConn, in_transaction, incoming_uploads, release_objects, uploads};
use spindrift_service::objects::first_failure::FirstFailure;
use spindrift_service::objects::staged::delete_staged;
use spindrift_service::objects::{DELETE_CLAIM_SECONDS, location};
use spindrift_service::{Failure, Ports};
use spindrift_settings::UPLOAD_GRACE;
use spindrift_storage::{Location, Storage, StorageError};

use crate::sweep::sweep;

/// Maximum number of sessions, and of claims, handled in one run; the next run continues.
const BATCH: u32 = 500;
/// Seconds for which a completed upload is kept after its URLs expire, so that a repeated completion can be
/// answered: 30 days.
const FINISHED_UPLOAD_SECONDS: i64 = 30 * 24 * 60 * 60;

pub(crate) async fn remove<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    let now = ports.now();
    let mut over = HashSet::new();
    let ended = end_uploads(ports, conn, storage, &mut over, body).await;
    let swept = sweep(ports, conn, storage, over, body).await;
    let finished = uploads::delete_finished(conn, now.plus_seconds(-FINISHED_UPLOAD_SECONDS));
    let claimed = delete_claimed(ports, conn, storage, body).await;
    ended.and(swept).and(finished.map_err(Failure::from)).and(claimed)
}

/// Deletes the objects of claims that have expired.
async fn delete_claimed<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    let deleter = Holder::deletion(&ports.new_id());
    let mut first = FirstFailure::default();
    for (object, holder) in claims::expired(conn, ports.now(), BATCH)? {
        if !take_over(conn, &object, &holder, &deleter, ports.now())? {
            continue;
        }
        // An object that was not deleted stays claimed for a later run.
        if let Some(was_there) = first.note(delete_if_there(storage, &location(&object)?).await)? {
            body.objects_deleted += u64::from(was_there);
            claims::release(conn, &object, &deleter)?;
        }
    }
    Ok(first.end()?)
}

/// Returns whether the object was there: a call that was killed early may have claimed a key that it never
/// wrote.
async fn delete_if_there<P: Ports>(storage: &Storage<'_, P>, at: &Location) -> Result<bool, StorageError> {
    if storage.head(at).await?.is_none() {
        return Ok(false);
    }
    storage.delete(at).await.map(|()| true)
}

/// Expires abandoned uploads, and finishes recorded ones. Adds the expired uploads to `over`.
async fn end_uploads<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    over: &mut HashSet<Id>,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    let now = ports.now();
    let grace = UPLOAD_GRACE.read(ports)?.as_secs().cast_signed();
    let mut first = FirstFailure::default();
    for id in uploads::expire(conn, now.plus_seconds(-grace), now, BATCH)? {
        if first.note(delete_staged(storage, &id, &mut body.objects_deleted).await)?.is_some() {
            uploads::delete_expired(conn, &id)?;
            body.uploads_expired += 1;
            over.insert(id);
        }
    }
    for id in incoming_uploads::expire(conn, now, BATCH)? {
        // Remaining objects no longer belong to an upload. The sweep deletes them.
        first.note(delete_staged(storage, &id, &mut body.objects_deleted).await)?;
        body.uploads_expired += 1;
        over.insert(id);
    }
    for id in uploads::unfinished(conn, BATCH)? {
        if first.note(delete_staged(storage, &id, &mut body.objects_deleted).await)?.is_some() {
            uploads::set_finished(conn, &id)?;
        }
    }
    Ok(first.end()?)
}

/// Takes over an expired claim. `Ok(false)`: another call holds it again, or the object is in use and only
/// the claim was deleted.
fn take_over<C: SqlConn>(
    conn: &C,
    object: &StoredObject,
    holder: &Holder,
    deleter: &Holder,
    now: Timestamp,
) -> Result<bool, Failure> {
    in_transaction(conn, |conn| {
        if release_objects::contains(conn, object)? {
            claims::release(conn, object, holder)?;
            return Ok(false);
        }
        Ok(claims::take(conn, object, deleter, now, now.plus_seconds(DELETE_CLAIM_SECONDS))?)
    })
}
