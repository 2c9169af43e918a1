//! Parts of answers.

use http::StatusCode;
use serde_json::value::RawValue;
use spindrift_api::{KeyEntry, KeyValue, RawJson, SignedFile, TaskRef, TaskStartedBody};
use spindrift_repository::events::Task;
use spindrift_service::Failure;
use spindrift_service::requests::management::private_json;
use spindrift_trust::PublicKey;
use spindrift_web::{ApiError, Response};

/// A file of metadata, as stored.
pub(crate) fn file(content: String) -> Result<SignedFile, Failure> {
    let internal = |error: serde_json::Error| ApiError::Internal { internal: error.to_string() };
    Ok(SignedFile(RawJson(RawValue::from_string(content).map_err(internal)?)))
}

/// A key in the form that TUF specifies.
pub(crate) fn key(key: &PublicKey) -> KeyEntry {
    KeyEntry {
        keyid: key.id().to_string(),
        keytype: key.keytype().to_owned(),
        scheme: key.scheme().to_owned(),
        keyval: KeyValue { public: key.public().to_owned() },
    }
}

/// The answer to a call that changed something.
pub(crate) fn task_started(status: StatusCode, task: Task) -> Result<Response, Failure> {
    let data = TaskRef { task_id: task.id, last_update: task.at.to_rfc3339() };
    private_json(status, &TaskStartedBody { data, message: task.message })
}
