//! Staged objects: the files of an upload until its completion.

use spindrift_core::{FileName, Id, StoredObject, Visibility, staged_path, staged_prefix};
use spindrift_storage::{BucketKind, Location, Storage, StorageError};

use crate::objects::first_failure::FirstFailure;
use crate::objects::location;
use crate::{Ports, ServiceError};

/// Objects listed per request when a folder is emptied.
const PAGE: u16 = 500;

/// The staged object of a file: `pending/<upload_id>/<name>`. Always in the private bucket, because
/// unpublished files must not be downloadable.
pub fn staged_location(upload: &Id, name: &FileName) -> Result<Location, ServiceError> {
    location(&StoredObject { bucket: Visibility::Private, key: staged_path(upload, name) })
}

/// Deletes all staged objects of an upload, and adds their number to `deleted`. An object that cannot be
/// deleted does not stop the others; the first failure is returned.
pub async fn delete_staged<P: Ports>(
    storage: &Storage<'_, P>,
    upload: &Id,
    deleted: &mut u64,
) -> Result<(), StorageError> {
    let prefix = staged_prefix(upload);
    let (mut first, mut next) = (FirstFailure::default(), None);
    loop {
        let page = storage.list(BucketKind::Private, &prefix, next.as_deref(), PAGE).await?;
        for object in page.objects {
            let result = storage.delete(&Location::new(BucketKind::Private, object.key)).await;
            *deleted += u64::from(first.note(result)?.is_some());
        }
        next = page.next;
        if next.is_none() {
            return first.end();
        }
    }
}
