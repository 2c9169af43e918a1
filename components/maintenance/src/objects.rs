//! Objects in the storage that nothing points at any more.

use spindrift_api::MaintenanceBody;
use spindrift_core::{StoredObject, Timestamp};
use spindrift_db::{artifacts, claims, feed_files, in_transaction, uploads};
use spindrift_service::objects::location;
use spindrift_service::staging::delete_staged;
use spindrift_service::{Failure, Ports};
use spindrift_storage::Storage;

/// Sessions, and claims, handled in one run; the next run goes on.
const BATCH: u32 = 500;
/// Seconds for which a completed upload is remembered after its URLs have ended, so that a repeated completion gets
/// its answer: 30 days.
const FINISHED_UPLOAD_SECONDS: i64 = 30 * 24 * 60 * 60;
/// Seconds for which maintenance keeps everybody else from writing a key that it deletes.
const CLAIM_SECONDS: i64 = 5 * 60;

pub(crate) async fn remove<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    let now = ports.now();
    for id in uploads::expire(conn, now, BATCH)? {
        body.objects_deleted += delete_staged(storage, &id).await?;
        uploads::delete_expired(conn, &id)?;
        body.uploads_expired += 1;
    }
    for id in uploads::unfinished(conn, BATCH)? {
        body.objects_deleted += delete_staged(storage, &id).await?;
        uploads::set_finished(conn, &id)?;
    }
    uploads::delete_finished(conn, now.plus_seconds(-FINISHED_UPLOAD_SECONDS))?;
    for (object, holder) in claims::expired(conn, now, BATCH)? {
        if abandoned(conn, &object, &holder, now)? {
            storage.delete(&location(&object)?).await?;
            body.objects_deleted += 1;
            claims::release(conn, &object, MAINTENANCE)?;
        }
    }
    Ok(())
}

/// Who holds the claims of objects that maintenance is deleting.
const MAINTENANCE: &str = "delete";

/// Takes over an expired claim. `Ok(false)`: somebody else has it again, or the object is in use and only the claim
/// had to go.
fn abandoned<C: spindrift_db::SqlConn>(
    conn: &C,
    object: &StoredObject,
    holder: &str,
    now: Timestamp,
) -> Result<bool, Failure> {
    in_transaction(conn, |conn| {
        if artifacts::is_recorded(conn, object)? || feed_files::is_recorded(conn, object)? {
            claims::release(conn, object, holder)?;
            return Ok(false);
        }
        Ok(claims::take(conn, object, MAINTENANCE, now, now.plus_seconds(CLAIM_SECONDS))?)
    })
}
