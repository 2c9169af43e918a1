//! The call that completes the upload and creates the release.

use spindrift_api::{CompleteBody, ErrorCode, UploadedBody};
use spindrift_core::Id;

use super::plan::UploadPlan;
use super::retry::RetryBudget;
use super::state_file::{StateFile, UploadGrant};
use super::transfer::{FilesToSend, TransferOutcome, transfer};
use crate::error::CliError;
use crate::refusal::Refusal;

/// How many times files that are missing from the storage are sent again.
const MAX_ROUNDS: u32 = 3;

pub(super) enum Completion {
    /// The id of the new release.
    Released(Id),
    /// The service does not know the upload, or it has expired: a new upload is needed.
    Gone(CliError),
    /// The application has TUF enabled, and the manifest has no SHA-256 and SHA-512.
    DigestsNeeded(CliError),
}

/// Completes an upload. Retries the call, which is idempotent, while that may help.
pub(super) async fn complete(
    plan: &UploadPlan,
    state: &StateFile,
    granted: &mut UploadGrant,
    hashed: FilesToSend<'_>,
) -> Result<Completion, CliError> {
    let (mut budget, mut rounds) = (RetryBudget::new(&plan.limits), 0);
    loop {
        let error = match call(plan, &granted.upload_id).await {
            Ok(answer) => return Ok(Completion::Released(answer.release)),
            Err(error) => error,
        };
        match kind(&error) {
            FailureKind::Missing(names) if rounds < MAX_ROUNDS => {
                rounds += 1;
                plan.progress.print(&format!("the storage lost {}: sending again", names.join(", ")));
                for file in granted.files.iter_mut().filter(|file| names.contains(&file.name)) {
                    file.sent = false;
                }
                state.write(granted)?;
                if let TransferOutcome::AddressesEnded(error) = transfer(plan, state, granted, hashed).await?
                {
                    return Ok(Completion::Gone(error));
                }
            }
            FailureKind::Passing if plan.wait_for_retry(&mut budget, &error).await => {}
            FailureKind::Gone => return Ok(Completion::Gone(error)),
            FailureKind::Digests => return Ok(Completion::DigestsNeeded(error)),
            FailureKind::Missing(_) | FailureKind::Passing | FailureKind::Refused => return Err(error),
            FailureKind::Final => {
                state.forget();
                return Err(error);
            }
        }
    }
}

async fn call(plan: &UploadPlan, upload_id: &str) -> Result<UploadedBody, CliError> {
    let body = CompleteBody { upload_id: upload_id.to_owned() };
    let call = plan.service.post("/upload/complete").body_json(&body);
    call.timeout(plan.limits.complete()).json().await
}

#[derive(Debug, PartialEq, Eq)]
enum FailureKind {
    Missing(Vec<String>),
    Passing,
    Gone,
    Digests,
    /// The upload is valid, but the service rejects the token.
    Refused,
    Final,
}

fn kind(error: &CliError) -> FailureKind {
    let CliError::Refused(Refusal { status, code, files, .. }) = error else {
        return if error.is_passing() { FailureKind::Passing } else { FailureKind::Final };
    };
    match (code, status) {
        (Some(ErrorCode::FilesMissing), _) => FailureKind::Missing(files.clone()),
        (Some(ErrorCode::Busy), _) => FailureKind::Passing,
        (Some(ErrorCode::DigestsRequired), _) => FailureKind::Digests,
        // The upload belongs to another token, which an earlier run used.
        (_, 403 | 404 | 410) => FailureKind::Gone,
        (_, 401) => FailureKind::Refused,
        _ if error.is_passing() => FailureKind::Passing,
        _ => FailureKind::Final,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_meanings() {
        for (status, code, expected) in [
            (422, ErrorCode::FilesMissing, FailureKind::Missing(vec!["a, b.deb".into()])),
            (409, ErrorCode::Busy, FailureKind::Passing),
            (422, ErrorCode::DigestMismatch, FailureKind::Final),
            (409, ErrorCode::ArtifactExists, FailureKind::Final),
            (410, ErrorCode::UploadExpired, FailureKind::Gone),
            (404, ErrorCode::NotFound, FailureKind::Gone),
            (401, ErrorCode::TokenExpired, FailureKind::Refused),
            (400, ErrorCode::DigestsRequired, FailureKind::Digests),
            (400, ErrorCode::MissingField, FailureKind::Final),
            (502, ErrorCode::StorageFailed, FailureKind::Passing),
            (503, ErrorCode::DatabaseUnavailable, FailureKind::Passing),
        ] {
            let files = vec!["a, b.deb".to_owned()];
            let text = format!("{status} {code}");
            let refusal = Refusal { status, code: Some(code), files, ..Refusal::default() };
            assert_eq!(kind(&CliError::Refused(refusal)), expected, "{text}");
        }
    }
}
