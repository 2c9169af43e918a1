//! Objects in the storage that nothing refers to any more.

use std::collections::HashSet;

use spindrift_api::MaintenanceBody;
use spindrift_core::{Id, StoredObject, Timestamp};
use spindrift_db::claims::{self, Holder};
use spindrift_db::{SqlConn, in_transaction, incoming_uploads, release_objects, uploads};
use spindrift_service::objects::staged::delete_staged;
use spindrift_service::objects::{DELETE_CLAIM_SECONDS, location};
use spindrift_service::{Failure, Ports};
use spindrift_settings::UPLOAD_GRACE;
use spindrift_storage::Storage;

use crate::sweep::sweep;

/// Most sessions, and most claims, handled in one run; the next run continues.
const BATCH: u32 = 500;
/// Seconds for which a completed upload is kept after its URLs expire, so that a repeated completion can be answered:
/// 30 days.
const FINISHED_UPLOAD_SECONDS: i64 = 30 * 24 * 60 * 60;

pub(crate) async fn remove<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    let now = ports.now();
    let ended = end_uploads(ports, conn, storage, body).await?;
    sweep(ports, conn, storage, ended, body).await?;
    uploads::delete_finished(conn, now.plus_seconds(-FINISHED_UPLOAD_SECONDS))?;
    let deleter = Holder::deletion(&ports.new_id());
    for (object, holder) in claims::expired(conn, now, BATCH)? {
        if take_over(conn, &object, &holder, &deleter, ports.now())? {
            let at = location(&object)?;
            // A call that was killed early may have claimed a key that it never wrote.
            if storage.head(&at).await?.is_some() {
                storage.delete(&at).await?;
                body.objects_deleted += 1;
            }
            claims::release(conn, &object, &deleter)?;
        }
    }
    Ok(())
}

/// Expires abandoned uploads, and finishes recorded ones. Returns the abandoned ones.
async fn end_uploads<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    body: &mut MaintenanceBody,
) -> Result<HashSet<Id>, Failure> {
    let now = ports.now();
    let mut ended = HashSet::new();
    let grace = UPLOAD_GRACE.read(ports)?.as_secs().cast_signed();
    for id in uploads::expire(conn, now.plus_seconds(-grace), now, BATCH)? {
        body.objects_deleted += delete_staged(storage, &id).await?;
        uploads::delete_expired(conn, &id)?;
        body.uploads_expired += 1;
        ended.insert(id);
    }
    for id in incoming_uploads::expire(conn, now, BATCH)? {
        body.objects_deleted += delete_staged(storage, &id).await?;
        body.uploads_expired += 1;
        ended.insert(id);
    }
    for id in uploads::unfinished(conn, BATCH)? {
        body.objects_deleted += delete_staged(storage, &id).await?;
        uploads::set_finished(conn, &id)?;
    }
    Ok(ended)
}

/// Takes over an expired claim. `Ok(false)`: another call holds it again, or the object is in use and only its claim
/// was deleted.
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
