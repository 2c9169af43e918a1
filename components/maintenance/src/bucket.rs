//! The marker that says which database the private bucket belongs to.
//!
//! Maintenance deletes objects that its database does not know. If two services with different databases used one bucket,
//! each would delete the other's uploads. So a marker in the bucket names one database, and only its service sweeps.

use spindrift_core::BUCKET_MARKER;
use spindrift_db::maintenance::database_id;
use spindrift_service::{Failure, Ports, log};
use spindrift_storage::{BucketKind, Location, ObjectKey, PutOptions, Storage};
use spindrift_web::ApiError;

/// Maximum number of bytes to read from a marker. A database's name has 32.
const MAX_MARKER_BYTES: usize = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BucketOwner {
    /// The bucket belongs to this database.
    This,
    /// The bucket belonged to no database, and this run has written the marker. Another service may have written its own at
    /// the same time, so the next run looks again.
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
