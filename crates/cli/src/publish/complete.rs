//! The call that completes the upload and creates the release.

use spindrift_api::{CompleteBody, ErrorCode, UploadedBody};
use spindrift_core::Id;

use super::patience::Patience;
use super::plan::Plan;
use super::state_file::{Granted, StateFile};
use super::transfer::{Hashed, Transferred, transfer};
use crate::error::CliError;
use crate::refusal::Refusal;

/// How many times files that are missing from the storage are sent again.
const MAX_ROUNDS: u32 = 3;

pub(super) enum Completed {
    /// The id of the new release.
    Released(Id),
    /// The service does not know the upload, or it has expired: a new upload is needed.
    Gone(CliError),
    /// The application has TUF enabled, and the manifest has no SHA-256 and SHA-512.
    DigestsNeeded(CliError),
}

/// Completes an upload. Retries the call, which is idempotent, while that may help.
pub(super) async fn complete(
    plan: &Plan,
    state: &StateFile,
    granted: &mut Granted,
    hashed: Hashed<'_>,
) -> Result<Completed, CliError> {
    let (mut patience, mut rounds) = (Patience::new(&plan.limits), 0);
    loop {
        let error = match call(plan, &granted.upload_id).await {
            Ok(answer) => return Ok(Completed::Released(answer.release)),
            Err(error) => error,
        };
        match kind(&error) {
            Kind::Missing(names) if rounds < MAX_ROUNDS => {
                rounds += 1;
                plan.progress.say(&format!("the storage lost {}: sending again", names.join(", ")));
                for file in granted.files.iter_mut().filter(|file| names.contains(&file.name)) {
                    file.sent = false;
                }
                state.write(granted)?;
                if let Transferred::AddressesEnded(error) = transfer(plan, state, granted, hashed).await? {
                    return Ok(Completed::Gone(error));
                }
            }
            Kind::Passing if plan.again(&mut patience, &error).await => {}
            Kind::Gone => return Ok(Completed::Gone(error)),
            Kind::Digests => return Ok(Completed::DigestsNeeded(error)),
            Kind::Missing(_) | Kind::Passing | Kind::Refused => return Err(error),
            Kind::Final => {
                state.forget();
                return Err(error);
            }
        }
    }
}

async fn call(plan: &Plan, upload_id: &str) -> Result<UploadedBody, CliError> {
    let body = CompleteBody { upload_id: upload_id.to_owned() };
    let call = plan.service.post("/upload/complete").body_json(&body);
    call.timeout(plan.limits.complete()).json().await
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Missing(Vec<String>),
    Passing,
    Gone,
    Digests,
    /// The upload is valid, but the service rejects the token.
    Refused,
    Final,
}

fn kind(error: &CliError) -> Kind {
    let CliError::Refused(Refusal { status, code, files, .. }) = error else {
        return if error.is_passing() { Kind::Passing } else { Kind::Final };
    };
    match (code, status) {
        (Some(ErrorCode::FilesMissing), _) => Kind::Missing(files.clone()),
        (Some(ErrorCode::Busy), _) => Kind::Passing,
        (Some(ErrorCode::DigestsRequired), _) => Kind::Digests,
        // The upload belongs to another token, which an earlier run used.
        (_, 403 | 404 | 410) => Kind::Gone,
        (_, 401) => Kind::Refused,
        _ if error.is_passing() => Kind::Passing,
        _ => Kind::Final,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_have_meanings() {
        for (status, code, expected) in [
            (422, ErrorCode::FilesMissing, Kind::Missing(vec!["a, b.deb".into()])),
            (409, ErrorCode::Busy, Kind::Passing),
            (422, ErrorCode::DigestMismatch, Kind::Final),
            (409, ErrorCode::ArtifactExists, Kind::Final),
            (410, ErrorCode::UploadExpired, Kind::Gone),
            (404, ErrorCode::NotFound, Kind::Gone),
            (401, ErrorCode::TokenExpired, Kind::Refused),
            (400, ErrorCode::DigestsRequired, Kind::Digests),
            (400, ErrorCode::MissingField, Kind::Final),
            (502, ErrorCode::StorageFailed, Kind::Passing),
            (503, ErrorCode::DatabaseUnavailable, Kind::Passing),
        ] {
            let files = vec!["a, b.deb".to_owned()];
            let told = format!("{status} {code}");
            let refusal = Refusal { status, code: Some(code), files, ..Refusal::default() };
            assert_eq!(kind(&CliError::Refused(refusal)), expected, "{told}");
        }
    }
}
