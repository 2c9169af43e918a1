//! Building an upload session, before any bytes are transferred.

use spindrift_core::{
    FeedName, FileName, ReleaseMetadata, SessionRelease, StoredObject, Updater, Upload, Version, Visibility,
    artifact_path, check_upload,
};
use spindrift_service::objects::location;
use spindrift_web::ApiError;

use crate::place::Place;

/// 400 unless the files form a valid upload for the updater.
pub fn check_files(
    place: &Place,
    metadata: &ReleaseMetadata,
    files: &[&FileName],
    feeds: &[FeedName],
) -> Result<(), ApiError> {
    let upload = Upload {
        updater: place.updater,
        private: place.flags.private,
        signed: metadata.signature.is_some(),
        files,
        feeds,
    };
    check_upload(&upload).map_err(|error| ApiError::bad_request(error.to_string()))
}

/// 400 for a signature that the updater's clients would refuse.
fn checked_signature(metadata: &ReleaseMetadata, updater: Updater) -> Result<Option<String>, ApiError> {
    let checked = |given: &String| updater.checked_signature(given, &metadata.version).map(str::to_owned);
    let signature = metadata.signature.as_ref().map(checked).transpose();
    signature.map_err(|error| ApiError::bad_request(error.to_string()))
}

/// The final object of a file. A key that the storage would refuse fails here, before anything is stored.
pub fn object(place: &Place, version: &Version, name: &FileName) -> Result<StoredObject, ApiError> {
    let key = artifact_path(place.updater, &place.scope, version, name);
    let object = StoredObject { bucket: Visibility::of_app(place.flags.private), key };
    match location(&object) {
        Ok(_) => Ok(object),
        Err(_) => Err(ApiError::bad_request(format!("the file name {name} makes no storage key"))),
    }
}

/// The release to record; 400 for a signature that cannot be valid.
pub fn session_release(metadata: &ReleaseMetadata, updater: Updater) -> Result<SessionRelease, ApiError> {
    Ok(SessionRelease {
        version: metadata.version.clone(),
        updater,
        publish: metadata.publish,
        critical: metadata.critical,
        intermediate: metadata.intermediate,
        rollout: metadata.rollout,
        changelog: metadata.changelog.clone(),
        signature: checked_signature(metadata, updater)?,
        created_at: metadata.created_at,
    })
}
