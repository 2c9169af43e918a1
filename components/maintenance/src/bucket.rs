//! The marker that names the database to which the private bucket belongs.
//!
//! Maintenance deletes objects that its database does not know. If two services with different databases used
//! one bucket, each would delete the other's uploads. So a marker in the bucket names one database, and only
//! the service with that database sweeps.

use spindrift_core::BUCKET_MARKER;
use spindrift_db::maintenance::database_id;
use spindrift_service::{Failure, Ports, log};
use spindrift_storage::{BucketKind, Location, ObjectKey, PutOptions, Storage};
use spindrift_web::ApiError;

/// Maximum number of bytes to read from a marker. The name of a database has 32.
const MAX_MARKER_BYTES: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BucketOwner {
    /// The bucket belongs to this database.
    This,
    /// The bucket belonged to no database, and this run has written the marker. Another service may have done
    /// the same at the same time, so the next run checks again.
    New,
    /// The bucket belongs to another database.
    Another,
}

/// Reads the marker, or writes it if it is missing.
pub(crate) async fn owner<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
) -> Result<BucketOwner, Failure> {
    let id = database_id(conn)?;
    let key =
        ObjectKey::new(BUCKET_MARKER).map_err(|error| ApiError::Internal { internal: error.to_string() })?;
    let marker = Location::new(BucketKind::Private, key);
    match storage.get(&marker, MAX_MARKER_BYTES).await? {
        Some(found) if found == id.as_bytes() => Ok(BucketOwner::This),
        Some(_) => {
            let text = format!("{BUCKET_MARKER} names another database; abandoned uploads are left alone");
            log::warn("the private bucket belongs to another database", &text);
            Ok(BucketOwner::Another)
        }
        None => {
            let options = PutOptions { content_type: Some("text/plain".to_owned()), ..PutOptions::default() };
            storage.put(&marker, id.into_bytes().into(), options).await?;
            Ok(BucketOwner::New)
        }
    }
}
