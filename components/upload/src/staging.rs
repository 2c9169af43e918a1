//! Where the bytes of an upload wait for its completion.

use spindrift_core::{FileName, Id, StoredObject, Visibility, staging_path};
use spindrift_service::objects::location;
use spindrift_storage::Location;
use spindrift_web::ApiError;

/// The staged object of a file: `pending/<upload_id>/<name>` in the private bucket, whatever the application, because
/// nobody may download what is not published.
pub(crate) fn staged(upload: &Id, name: &FileName) -> Result<Location, ApiError> {
    let key = staging_path(upload, name);
    location(&StoredObject { bucket: Visibility::Private, key })
}
