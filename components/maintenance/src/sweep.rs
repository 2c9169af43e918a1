//! Staged objects and unfinished multipart uploads that no upload needs.

use std::collections::{BTreeSet, HashMap, HashSet};

use spindrift_api::MaintenanceBody;
use spindrift_core::{Id, STAGED_ROOT, StagedUpload, Timestamp, is_leftover, unknown_uploads_end};
use spindrift_db::uploads;
use spindrift_service::objects::first_failure::FirstFailure;
use spindrift_service::{Failure, Ports};
use spindrift_settings::{PRESIGNED_UPLOAD_URL_TTL, UPLOAD_GRACE};
use spindrift_storage::{BucketKind, Location, MAX_LIST_PAGE, ObjectKey, Storage};

use crate::bucket::{self, BucketOwner};

/// Deletes the remains of uploads that have ended, and of uploads that this database does not know: their
/// session was deleted with its application, or they belong to another service. Remains of unknown uploads
/// stay until they are older than any upload can be. In a bucket that belongs to another database they stay
/// forever.
pub(crate) async fn sweep<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    over: HashSet<Id>,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    let now = ports.now();
    let owner = bucket::owner(conn, storage).await?;
    body.bucket_of_another_database = owner == BucketOwner::Another;
    let end = unknown_uploads_end(now, PRESIGNED_UPLOAD_URL_TTL.read(ports)?, UPLOAD_GRACE.read(ports)?);
    let unknown_before = (owner == BucketOwner::This).then_some(end);
    let sweep = Sweep { conn, storage, over, now, unknown_before };
    let staged = sweep.staged(&mut body.objects_deleted).await;
    let open = sweep.open_uploads(&mut body.objects_deleted).await;
    staged.and(open)
}

/// A staged object or an unfinished multipart upload.
struct SweepItem<T> {
    key: ObjectKey,
    written: Option<Timestamp>,
    item: T,
}

struct Sweep<'a, P: Ports> {
    conn: &'a P::Conn,
    storage: &'a Storage<'a, P>,
    /// Uploads that this run has expired, and that the database no longer has.
    over: HashSet<Id>,
    now: Timestamp,
    unknown_before: Option<Timestamp>,
}

impl<P: Ports> Sweep<'_, P> {
    /// Deletes staged objects, and counts them.
    async fn staged(&self, deleted: &mut u64) -> Result<(), Failure> {
        let (mut first, mut next) = (FirstFailure::default(), None);
        loop {
            let page =
                self.storage.list(BucketKind::Private, STAGED_ROOT, next.as_deref(), MAX_LIST_PAGE).await?;
            let objects = page.objects.into_iter();
            let found =
                objects.map(|object| SweepItem { key: object.key, written: object.modified, item: () });
            for (key, ()) in self.leftovers(found.collect())? {
                let result = self.storage.delete(&Location::new(BucketKind::Private, key)).await;
                *deleted += u64::from(first.note(result)?.is_some());
            }
            next = page.next;
            if next.is_none() {
                return Ok(first.end()?);
            }
        }
    }

    /// Aborts multipart uploads, and counts them. With a storage that cannot list them, the operator has to
    /// set up a lifecycle rule.
    async fn open_uploads(&self, aborted: &mut u64) -> Result<(), Failure> {
        let (mut first, mut next) = (FirstFailure::default(), None);
        while let Some(page) =
            self.storage.list_multipart(BucketKind::Private, STAGED_ROOT, next.as_ref()).await?
        {
            let uploads = page.uploads.into_iter();
            let found =
                uploads.map(|open| SweepItem { key: open.key, written: open.initiated, item: open.id });
            for (key, id) in self.leftovers(found.collect())? {
                let result =
                    self.storage.abort_multipart(&Location::new(BucketKind::Private, key), &id).await;
                *aborted += u64::from(first.note(result)?.is_some());
            }
            next = page.next;
            if next.is_none() {
                break;
            }
        }
        Ok(first.end()?)
    }

    /// The objects in `found` that have to be deleted.
    fn leftovers<T>(&self, found: Vec<SweepItem<T>>) -> Result<Vec<(ObjectKey, T)>, Failure> {
        let ids: BTreeSet<Id> = found.iter().filter_map(|found| upload_of(&found.key)).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let known = uploads::find_known(self.conn, &ids.iter().collect::<Vec<_>>(), self.now)?;
        let is_deleted = |found: &SweepItem<T>| {
            upload_of(&found.key)
                .is_some_and(|id| is_leftover(self.upload(&known, &id), found.written, self.unknown_before))
        };
        Ok(found.into_iter().filter(is_deleted).map(|found| (found.key, found.item)).collect())
    }

    fn upload(&self, known: &HashMap<Id, bool>, id: &Id) -> StagedUpload {
        match known.get(id) {
            Some(true) => StagedUpload::Needed,
            Some(false) => StagedUpload::Over,
            None if self.over.contains(id) => StagedUpload::Over,
            None => StagedUpload::Unknown,
        }
    }
}

/// The upload that a staged object belongs to.
fn upload_of(key: &ObjectKey) -> Option<Id> {
    key.as_str().strip_prefix(STAGED_ROOT)?.split_once('/').map(|(id, _)| Id::from_text(id))
}
