//! Objects in the storage that nothing refers to any more. Each part goes on after an object that it cannot delete, which is
//! left for a later run.

use std::collections::{BTreeSet, HashSet};

use spindrift_api::MaintenanceBody;
use spindrift_core::{Id, STAGED_ROOT, StoredObject, Timestamp};
use spindrift_db::claims::{self, Holder};
use spindrift_db::{SqlConn, in_transaction, incoming_uploads, release_objects, uploads};
use spindrift_service::objects::first_failure::FirstFailure;
use spindrift_service::objects::staged::delete_staged;
use spindrift_service::objects::{DELETE_CLAIM_SECONDS, location};
use spindrift_service::{Failure, Ports};
use spindrift_settings::UPLOAD_GRACE;
use spindrift_storage::{BucketKind, Location, MAX_LIST_PAGE, ObjectKey, Storage};

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
    let ended = end_uploads(ports, conn, storage, body).await;
    let staged = sweep_staged(conn, storage, now, body).await;
    let open = sweep_open_uploads(conn, storage, now, body).await;
    let finished = uploads::delete_finished(conn, now.plus_seconds(-FINISHED_UPLOAD_SECONDS));
    let claimed = delete_claimed(ports, conn, storage, body).await;
    ended.and(staged).and(open).and(finished.map_err(Failure::from)).and(claimed)
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
        // What is left stays claimed, for a later run.
        if let Some(was_there) = first.note(delete_if_there(storage, &object).await)? {
            body.objects_deleted += u64::from(was_there);
            claims::release(conn, &object, &deleter)?;
        }
    }
    first.end()
}

/// Returns whether the object was there: a call that was killed early may have claimed a key that it never wrote.
async fn delete_if_there<P: Ports>(storage: &Storage<'_, P>, object: &StoredObject) -> Result<bool, Failure> {
    let at = location(object)?;
    if storage.head(&at).await?.is_none() {
        return Ok(false);
    }
    Ok(storage.delete(&at).await.map(|()| true)?)
}

/// Expires abandoned uploads, and finishes recorded ones.
async fn end_uploads<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    let now = ports.now();
    let grace = UPLOAD_GRACE.read(ports)?.as_secs().cast_signed();
    let mut first = FirstFailure::default();
    for id in uploads::expire(conn, now.plus_seconds(-grace), now, BATCH)? {
        if first.note(delete_staged(storage, &id, &mut body.objects_deleted).await)?.is_some() {
            uploads::delete_expired(conn, &id)?;
            body.uploads_expired += 1;
        }
    }
    for id in incoming_uploads::expire(conn, now, BATCH)? {
        // What is left belongs to no upload any more, and is swept.
        first.note(delete_staged(storage, &id, &mut body.objects_deleted).await)?;
        body.uploads_expired += 1;
    }
    for id in uploads::unfinished(conn, BATCH)? {
        if first.note(delete_staged(storage, &id, &mut body.objects_deleted).await)?.is_some() {
            uploads::set_finished(conn, &id)?;
        }
    }
    first.end()
}

/// Deletes staged objects that no upload needs. Their session was deleted with its application, or it is finished and a
/// presigned URL was used again.
async fn sweep_staged<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    now: Timestamp,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    let (mut first, mut next) = (FirstFailure::default(), None);
    loop {
        let page = storage.list(BucketKind::Private, STAGED_ROOT, next.as_deref(), MAX_LIST_PAGE).await?;
        for key in unneeded(conn, page.objects.into_iter().map(|object| object.key), now)? {
            let result = storage.delete(&Location::new(BucketKind::Private, key)).await;
            body.objects_deleted += u64::from(first.note(result.map_err(Failure::from))?.is_some());
        }
        next = page.next;
        if next.is_none() {
            return first.end();
        }
    }
}

/// Aborts multipart uploads that no upload needs. A storage that cannot list them has to use a lifecycle rule.
async fn sweep_open_uploads<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    now: Timestamp,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    let (mut first, mut next) = (FirstFailure::default(), None);
    while let Some(page) = storage.list_multipart(BucketKind::Private, STAGED_ROOT, next.as_ref()).await? {
        let keys: HashSet<ObjectKey> =
            unneeded(conn, page.uploads.iter().map(|open| open.key.clone()), now)?.into_iter().collect();
        for open in page.uploads.into_iter().filter(|open| keys.contains(&open.key)) {
            let at = Location::new(BucketKind::Private, open.key);
            let result = storage.abort_multipart(&at, &open.id).await;
            body.objects_deleted += u64::from(first.note(result.map_err(Failure::from))?.is_some());
        }
        next = page.next;
        if next.is_none() {
            break;
        }
    }
    first.end()
}

/// Of these keys, those that no upload may still need.
fn unneeded(
    conn: &impl SqlConn,
    keys: impl Iterator<Item = ObjectKey>,
    now: Timestamp,
) -> Result<Vec<ObjectKey>, Failure> {
    let keys: Vec<(ObjectKey, Id)> =
        keys.filter_map(|key| upload_of(&key).map(|upload| (key, upload))).collect();
    let uploads: BTreeSet<&Id> = keys.iter().map(|(_, upload)| upload).collect();
    if uploads.is_empty() {
        return Ok(Vec::new());
    }
    let needed = uploads::with_staged_objects(conn, &uploads.into_iter().collect::<Vec<_>>(), now)?;
    Ok(keys.into_iter().filter(|(_, upload)| !needed.contains(upload)).map(|(key, _)| key).collect())
}

/// The upload that a staged object belongs to.
fn upload_of(key: &ObjectKey) -> Option<Id> {
    key.as_str().strip_prefix(STAGED_ROOT)?.split_once('/').map(|(id, _)| Id::from_text(id))
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
