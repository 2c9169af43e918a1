//! Staged objects: the files of an upload until its completion.

use spindrift_core::{FileName, Id, StoredObject, Visibility, staged_path, staged_prefix};
use spindrift_storage::{BucketKind, Location, Storage};
use spindrift_web::ApiError;

use crate::objects::location;
use crate::{Failure, Ports};

/// Objects listed per request when a folder is emptied.
const PAGE: u16 = 500;

/// The staged object of a file: `pending/<upload_id>/<name>`. Always in the private bucket, because unpublished files
/// must not be downloadable.
pub fn staged(upload: &Id, name: &FileName) -> Result<Location, ApiError> {
    location(&StoredObject { bucket: Visibility::Private, key: staged_path(upload, name) })
}

/// Deletes all staged objects of an upload; returns how many.
pub async fn delete_staged<P: Ports>(storage: &Storage<'_, P>, upload: &Id) -> Result<u64, Failure> {
    let prefix = staged_prefix(upload);
    let mut deleted = 0;
    loop {
        // Always from the start, because the objects listed before are deleted.
        let page = storage.list(BucketKind::Private, &prefix, None, PAGE).await?;
        for object in &page.objects {
            storage.delete(&Location::new(BucketKind::Private, object.key.clone())).await?;
            deleted += 1;
        }
        if page.next.is_none() {
            return Ok(deleted);
        }
    }
}
