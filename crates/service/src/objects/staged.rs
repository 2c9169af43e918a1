//! Staged objects: where the bytes of an upload wait for its completion.

use spindrift_core::{FileName, Id, StoredObject, Visibility, staged_path, staged_prefix};
use spindrift_storage::{BucketKind, Location, Storage};
use spindrift_web::ApiError;

use crate::objects::location;
use crate::{Failure, Ports};

/// Objects asked for at once when a folder is emptied.
const PAGE: u16 = 500;

/// The staged object of a file: `pending/<upload_id>/<name>` in the private bucket, whatever the application, because
/// nobody may download what is not published.
pub fn staged(upload: &Id, name: &FileName) -> Result<Location, ApiError> {
    location(&StoredObject { bucket: Visibility::Private, key: staged_path(upload, name) })
}

/// Deletes everything that is staged for an upload, whatever it is; answers how many objects.
pub async fn delete_staged<P: Ports>(storage: &Storage<'_, P>, upload: &Id) -> Result<u64, Failure> {
    let prefix = staged_prefix(upload);
    let mut deleted = 0;
    loop {
        // From the start each time: what was listed is gone.
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
