//! Objects in the storage that nothing points at any more.

use spindrift_api::MaintenanceBody;
use spindrift_core::{Id, STAGING_ROOT, StoredObject, Timestamp};
use spindrift_db::{artifacts, claims, feed_files, in_transaction, uploads};
use spindrift_service::objects::{DELETE_CLAIM_SECONDS, deleter, location};
use spindrift_service::staging::delete_staged;
use spindrift_service::{Failure, Ports};
use spindrift_storage::{BucketKind, Location, MAX_LIST_PAGE, ObjectKey, Storage};

/// Sessions, and claims, handled in one run; the next run goes on.
const BATCH: u32 = 500;
/// Seconds for which a completed upload is remembered after its URLs have ended, so that a repeated completion gets
/// its answer: 30 days.
const FINISHED_UPLOAD_SECONDS: i64 = 30 * 24 * 60 * 60;

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
    sweep_staged(conn, storage, body).await?;
    uploads::delete_finished(conn, now.plus_seconds(-FINISHED_UPLOAD_SECONDS))?;
    let deleter = deleter(ports);
    for (object, holder) in claims::expired(conn, now, BATCH)? {
        if take_over(conn, &object, &holder, &deleter, ports.now())? {
            storage.delete(&location(&object)?).await?;
            body.objects_deleted += 1;
            claims::release(conn, &object, &deleter)?;
        }
    }
    Ok(())
}

/// Deletes staged objects whose session is gone, as after the deletion of an application.
async fn sweep_staged<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    // The objects of a session come one after the other.
    let (mut next, mut last) = (None, None);
    loop {
        let page = storage.list(BucketKind::Private, STAGING_ROOT, next.as_deref(), MAX_LIST_PAGE).await?;
        for object in page.objects {
            let Some(upload) = upload_of(&object.key) else { continue };
            let is_gone = match &last {
                Some((asked, is_gone)) if *asked == upload => *is_gone,
                _ => uploads::by_id(conn, &upload)?.is_none(),
            };
            last = Some((upload, is_gone));
            if is_gone {
                storage.delete(&Location::new(BucketKind::Private, object.key)).await?;
                body.objects_deleted += 1;
            }
        }
        next = page.next;
        if next.is_none() {
            return Ok(());
        }
    }
}

/// The upload that a staged object belongs to.
fn upload_of(key: &ObjectKey) -> Option<Id> {
    key.as_str().strip_prefix(STAGING_ROOT)?.split_once('/').map(|(id, _)| Id::from_text(id))
}

/// Takes over an expired claim. `Ok(false)`: somebody else has it again, or the object is in use and only the claim
/// had to go.
fn take_over<C: spindrift_db::SqlConn>(
    conn: &C,
    object: &StoredObject,
    holder: &str,
    deleter: &str,
    now: Timestamp,
) -> Result<bool, Failure> {
    in_transaction(conn, |conn| {
        if artifacts::is_recorded(conn, object)? || feed_files::is_recorded(conn, object)? {
            claims::release(conn, object, holder)?;
            return Ok(false);
        }
        Ok(claims::take(conn, object, deleter, now, now.plus_seconds(DELETE_CLAIM_SECONDS))?)
    })
}
