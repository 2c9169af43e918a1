//! Descriptions of this component's calls.

use serde_json::json;
use spindrift_api::{
    ArtifactsDeleteData, ArtifactsDeletedBody, ErrorCode, ReleaseDeletedBody, ReleaseUpdateData,
    ReleaseUpdatedBody,
};
use spindrift_describe::schema::word;
use spindrift_describe::{Call, Files, Who};

const NOUN: &str = "Releases";
const ID: &str = "018f0000-0000-7000-8000-000000000004";

pub(crate) fn delete_release() -> Call {
    Call::new(NOUN, Who::User, "Deletes a release with all its files")
        .needs_query("id", "Its id.", word())
        .answers::<ReleaseDeletedBody>(200, "It is gone.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::Busy, ErrorCode::Conflict, ErrorCode::InUse])
        .refuses(503, &[ErrorCode::Busy])
        .storing()
}

pub(crate) fn delete_artifacts() -> Call {
    Call::new(NOUN, Who::User, "Deletes artifacts of a release")
        .form::<ArtifactsDeleteData>(
            Files::None,
            json!({ "id": ID, "app_name": "notes", "version": "1.0.0", "artifacts_to_delete": [0] }),
        )
        .answers::<ArtifactsDeletedBody>(200, "They are gone.")
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(409, &[ErrorCode::Busy, ErrorCode::Conflict, ErrorCode::InUse])
        .refuses(503, &[ErrorCode::Busy])
        .storing()
}

pub(crate) fn update() -> Call {
    Call::new(NOUN, Who::User, "Changes how a release is offered, and its files")
        .details(
            "Fields that are left out keep their values. With `file` parts the call also adds files; `data` then has the \
             fields of an upload too, and the files follow its rules. Either the change and the files are recorded, or nothing is.",
        )
        .form::<ReleaseUpdateData>(Files::Some, json!({ "id": ID, "publish": true, "rollout": 25 }))
        .answers::<ReleaseUpdatedBody>(200, "It was changed.")
        .refuses(400, &[ErrorCode::DigestsRequired])
        .refuses(404, &[ErrorCode::NotFound])
        .refuses(
            409,
            &[ErrorCode::ArtifactExists, ErrorCode::VersionExists, ErrorCode::Busy, ErrorCode::Conflict],
        )
        .refuses(503, &[ErrorCode::Busy])
        .storing()
}
