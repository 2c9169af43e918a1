//! The call that makes a release of what was sent.

use serde_json::{Value, json};

use super::plan::Plan;
use super::state_file::{Granted, StateFile};
use super::transfer::{Transferred, transfer};
use crate::error::CliError;
use crate::output::text;
use crate::refusal::Refusal;

/// How often files that the storage lost are sent again.
const MAX_ROUNDS: u32 = 3;
/// Begins the text of a 422 for them.
const MISSING: &str = "missing files: ";
/// In the text of a 409 that passes.
const BUSY: &str = "another call";
/// In the text of a 400.
const TUF: &str = "sha256 and sha512 are required";

/// How completion ended.
pub(super) enum Completed {
    /// The release's identifier.
    Released(String),
    /// The service no longer knows the upload, or its time is over: a new one is needed.
    Gone(CliError),
    /// The application has TUF enabled, and the manifest had no SHA-256 and SHA-512.
    DigestsNeeded(CliError),
}

/// Completes an upload, and repeats that for as long as it may help: the call is safe to repeat.
pub(super) async fn complete(
    plan: &Plan,
    state: &StateFile,
    granted: &mut Granted,
    digests: bool,
) -> Result<Completed, CliError> {
    let (mut failed, mut rounds) = (0, 0);
    loop {
        let error = match call(plan, &granted.upload_id).await {
            Ok(answer) => return Ok(Completed::Released(text(&answer, "uploadResult.Uploaded"))),
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
                if let Transferred::AddressesEnded(error) = transfer(plan, state, granted, digests).await? {
                    return Ok(Completed::Gone(error));
                }
            }
            Kind::Passing if failed < plan.limits.retries => {
                failed += 1;
                plan.pause(failed, &error).await;
            }
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

async fn call(plan: &Plan, upload_id: &str) -> Result<Value, CliError> {
    let call = plan.service.post("/upload/complete").body_json(&json!({ "upload_id": upload_id }));
    call.timeout(plan.limits.complete()).json().await
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Missing(Vec<String>),
    Passing,
    Gone,
    Digests,
    /// The upload is fine; the token is not.
    Refused,
    Final,
}

fn kind(error: &CliError) -> Kind {
    let CliError::Refused(Refusal { status, text, files, .. }) = error else {
        return if error.is_passing() { Kind::Passing } else { Kind::Final };
    };
    match status {
        422 if text.starts_with(MISSING) => Kind::Missing(files.clone()),
        409 if text.contains(BUSY) => Kind::Passing,
        // Somebody else's: the token is another one than the earlier run's.
        403 | 404 | 410 => Kind::Gone,
        401 => Kind::Refused,
        400 if text.contains(TUF) => Kind::Digests,
        _ if error.is_passing() => Kind::Passing,
        _ => Kind::Final,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_and_what_they_mean() {
        for (status, text, expected) in [
            (422, "missing files: a, b.deb", Kind::Missing(vec!["a, b.deb".into()])),
            (409, "a.deb is being uploaded or deleted by another call", Kind::Passing),
            (422, "digest mismatch: a.deb", Kind::Final),
            (409, "the artifact exists", Kind::Final),
            (410, "expired", Kind::Gone),
            (404, "upload not found", Kind::Gone),
            (401, "token expired", Kind::Refused),
            (400, "sha256 and sha512 are required for applications with TUF enabled", Kind::Digests),
            (400, "missing upload_id", Kind::Final),
            (502, "the object storage failed", Kind::Passing),
            (503, "the database is unavailable", Kind::Passing),
        ] {
            let files = vec!["a, b.deb".to_owned()];
            let refusal =
                Refusal { status, text: text.to_owned(), files, request_id: None, retry_after: None };
            assert_eq!(kind(&CliError::Refused(refusal)), expected, "{status} {text}");
        }
    }
}
