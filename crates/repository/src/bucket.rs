//! The files of a repository in the bucket.

use bytes::Bytes;
use spindrift_core::{StoredObject, Visibility, metadata_prefix};
use spindrift_db::repositories;
use spindrift_service::Ports;
use spindrift_service::objects::location;
use spindrift_storage::{BucketKind, ListedObject, Location, PutOptions};
use spindrift_trust::{MetadataFile, RoleName};

use crate::error::RepositoryError;
use crate::lease::RepositoryLease;

/// For files whose names contain a version: they never change.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// For `timestamp.json`: as long as other answers of the service.
const FOR_A_MINUTE: &str = "public, max-age=60, must-revalidate";
/// For files of private applications.
const NEVER: &str = "private, no-store";

/// The objects that a listing of the bucket has found.
pub(crate) fn found_objects(row: &repositories::Repository, found: Vec<ListedObject>) -> Vec<StoredObject> {
    let object = |found: ListedObject| StoredObject { bucket: row.visibility, key: found.key.to_string() };
    found.into_iter().map(object).collect()
}

pub(crate) fn object(row: &repositories::Repository, file: &MetadataFile) -> StoredObject {
    StoredObject { bucket: row.visibility, key: format!("{}{file}", metadata_prefix(&row.name)) }
}

fn at(row: &repositories::Repository, file: &MetadataFile) -> Result<Location, RepositoryError> {
    Ok(location(&object(row, file))?)
}

fn cache_control(visibility: Visibility, role: &RoleName) -> &'static str {
    match (visibility, role) {
        (Visibility::Private, _) => NEVER,
        (Visibility::Public, RoleName::Timestamp) => FOR_A_MINUTE,
        (Visibility::Public, _) => FOR_EVER,
    }
}

impl<P: Ports> RepositoryLease<'_, P> {
    /// Writes a file, if the lease leaves time for it.
    pub(crate) async fn put(
        &self,
        row: &repositories::Repository,
        file: &MetadataFile,
        bytes: impl Into<Bytes>,
    ) -> Result<(), RepositoryError> {
        self.require_time()?;
        let options = PutOptions {
            content_type: Some("application/json".to_owned()),
            cache_control: Some(cache_control(row.visibility, file.role()).to_owned()),
            md5: None,
        };
        Ok(self.storage.put(&at(row, file)?, bytes.into(), options).await?)
    }

    /// The bytes of a file. `None` if it does not exist, or is larger than files of its role may be.
    pub(crate) async fn get(
        &self,
        row: &repositories::Repository,
        file: &MetadataFile,
        limit: usize,
    ) -> Result<Option<Bytes>, RepositoryError> {
        match self.storage.get(&at(row, file)?, limit).await {
            Err(spindrift_storage::StorageError::TooLarge) => Ok(None),
            other => Ok(other?),
        }
    }

    pub(crate) async fn objects(
        &self,
        row: &repositories::Repository,
    ) -> Result<Vec<ListedObject>, RepositoryError> {
        let bucket = match row.visibility {
            Visibility::Public => BucketKind::Public,
            Visibility::Private => BucketKind::Private,
        };
        Ok(self.storage.list_all(bucket, &metadata_prefix(&row.name)).await?)
    }
}
