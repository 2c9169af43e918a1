//! Builds the parts of an upload session from its description, and checks them.

use spindrift_core::{
    ChangeRefused, FeedName, FileName, MAX_SCHEDULE_SECONDS, ReleaseMetadata, SessionRelease, StoredObject,
    Timestamp, Updater, Upload, Visibility, artifact_path, check_upload,
};

use super::destination::Destination;
use super::error::PublishError;
use crate::ServiceError;
use crate::objects::location;

/// Fails unless the files are a valid upload for the updater.
pub fn check_files(
    destination: &Destination,
    metadata: &ReleaseMetadata,
    files: &[&FileName],
    feeds: &[FeedName],
) -> Result<(), PublishError> {
    let packages = &metadata.packages;
    packages.require_files(files)?;
    let files = &metadata.patches.others(files, packages)?;
    let upload = Upload {
        updater: destination.updater,
        private: destination.flags.private,
        signed: metadata.signature.is_some(),
        files,
        feeds,
        packages,
        platform: &destination.updaters,
    };
    Ok(check_upload(&upload)?)
}

/// Fails for a signature that the updater's clients would reject.
fn checked_signature(metadata: &ReleaseMetadata, updater: Updater) -> Result<Option<String>, PublishError> {
    let checked = |given: &String| updater.checked_signature(given, &metadata.version).map(str::to_owned);
    Ok(metadata.signature.as_ref().map(checked).transpose()?)
}

/// The final object of a file. Fails, before anything is stored, for a key that the storage would reject.
pub fn final_object(
    (destination, naming): (&Destination, Updater),
    metadata: &ReleaseMetadata,
    name: &FileName,
) -> Result<StoredObject, PublishError> {
    let (version, package) = (&metadata.version, metadata.packages.of(name));
    let key = artifact_path(naming, &destination.scope, version, name, &package);
    let object = StoredObject { bucket: Visibility::of_app(destination.flags.private), key };
    match location(&object) {
        Ok(_) => Ok(object),
        Err(_) => Err(PublishError::NoStorageKey(name.clone())),
    }
}

/// The release to record. Fails for an invalid signature, or a time that is too far ahead.
pub fn session_release(
    metadata: &ReleaseMetadata,
    updater: Updater,
    now: Timestamp,
) -> Result<SessionRelease, PublishError> {
    if metadata.publish_at.is_some_and(|at| at > now.plus_seconds(MAX_SCHEDULE_SECONDS)) {
        return Err(ServiceError::from(ChangeRefused::TooFarAhead).into());
    }
    Ok(SessionRelease {
        version: metadata.version.clone(),
        updater,
        publish: metadata.publish,
        publish_at: metadata.publish_at,
        critical: metadata.critical,
        intermediate: metadata.intermediate,
        rollout: metadata.rollout,
        plan: metadata.plan.clone(),
        guard: metadata.guard,
        groups: metadata.groups.clone(),
        cures: metadata.cures.clone(),
        requires: metadata.requires.clone(),
        patches: metadata.patches.clone(),
        packages: metadata.packages.clone(),
        changelog: metadata.changelog.clone(),
        signature: checked_signature(metadata, updater)?,
        created_at: metadata.created_at,
    })
}
