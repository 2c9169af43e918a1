//! Sends one file to its presigned URL. The URL is a credential and never appears in a message.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::StatusCode;

use super::body::{BodyDigests, FilePiece, body};
use super::digest::file_changed_error;
use super::files::LocalFile;
use super::plan::UploadPlan;
use super::progress::Meter;
use super::retry::RetryBudget;
use super::stall::unless_stalled;
use crate::error::{CliError, network_reason};
use crate::refusal::one_line;
use crate::secret::Secret;

/// Maximum number of bytes to read from an error answer of the storage.
const MAX_ERROR_BYTES: usize = 16 * 1024;
/// Time limit for the digests after the storage has answered.
const READING_LIMIT: Duration = Duration::from_secs(10);

/// Why a file could not be sent.
pub(super) enum FileSendError {
    /// A retry may succeed.
    Passing(CliError),
    /// The URL is no longer valid. A new one may work.
    Address(CliError),
    /// A retry will not succeed.
    Final(CliError),
}

/// Sends a file or a part of one, and retries transient failures.
pub(super) async fn send(
    plan: &UploadPlan,
    piece: &FilePiece,
    url: &Secret,
    headers: &BTreeMap<String, String>,
    meter: &Meter,
    digests: bool,
) -> Result<BodyDigests, FileSendError> {
    let mut budget = RetryBudget::new(&plan.limits);
    loop {
        match send_once(plan, piece, url, headers, meter, digests).await {
            Err(FileSendError::Passing(error)) if plan.wait_for_retry(&mut budget, &error).await => {}
            done => return done,
        }
    }
}

async fn send_once(
    plan: &UploadPlan,
    piece: &FilePiece,
    url: &Secret,
    headers: &BTreeMap<String, String>,
    meter: &Meter,
    digests: bool,
) -> Result<BodyDigests, FileSendError> {
    meter.restart();
    let file = &piece.file;
    let (body, reading) = body(piece, meter, digests);
    let mut request = plan.service.http().put(url.expose()).body(body);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    // A streamed body has no length of its own.
    if !headers.keys().any(|name| name.eq_ignore_ascii_case("content-length")) {
        request = request.header("content-length", piece.length());
    }
    let (stall, answer) = (plan.limits.stall(), plan.limits.complete());
    let answer =
        unless_stalled(request.send(), std::slice::from_ref(meter), piece.length(), stall, answer).await;
    let failed = match answer {
        Ok(Ok(response)) if response.status().is_success() => None,
        Ok(Ok(response)) => Some(refusal_error(file, response).await),
        Ok(Err(error)) => Some(FileSendError::Passing(storage_error(file, &network_reason(error)))),
        Err(()) => Some(FileSendError::Passing(storage_error(file, "no byte moved for too long"))),
    };
    // After a connection ended early, the client may hold the body for a while.
    let reading = tokio::time::timeout(READING_LIMIT, reading).await;
    match (reading, failed) {
        // The request was aborted because of this error.
        (Ok(Ok(Err(error))), _) => Err(FileSendError::Final(error)),
        (_, Some(failed)) => Err(failed),
        (Ok(Ok(Ok(digested))), None) => Ok(digested),
        // The body of an empty file is never requested.
        _ => Ok(None),
    }
}

fn storage_error(file: &LocalFile, reason: &str) -> CliError {
    CliError::NotSent { what: format!("the object storage did not take {} ({reason})", file.name) }
}

/// The error for an S3 error answer.
async fn refusal_error(file: &LocalFile, response: reqwest::Response) -> FileSendError {
    let status = response.status();
    let (code, message) = error_of(response).await;
    let reason = one_line(&format!("{} {code} {message}", status.as_u16()));
    match status {
        _ if code == "BadDigest" || code == "IncompleteBody" => {
            FileSendError::Final(file_changed_error(file))
        }
        StatusCode::FORBIDDEN => FileSendError::Address(CliError::Storage(format!(
            "the object storage refuses {} ({reason}): the clocks of service and storage may differ, or the \
             service's keys are wrong; see `spindrift doctor`",
            file.name
        ))),
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => {
            FileSendError::Passing(storage_error(file, &reason))
        }
        // Storages answer like this if a connection was too slow.
        _ if code == "RequestTimeout" || status.is_server_error() => {
            FileSendError::Passing(storage_error(file, &reason))
        }
        _ => FileSendError::Final(CliError::Storage(format!(
            "the object storage refuses {} ({reason}): ask the service's operator",
            file.name
        ))),
    }
}

/// `Code` and `Message` of an S3 error. Ignores everything else, because it may repeat the signature.
async fn error_of(mut response: reqwest::Response) -> (String, String) {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ERROR_BYTES {
            break;
        }
    }
    let body = String::from_utf8_lossy(&body);
    (element(&body, "Code"), element(&body, "Message"))
}

fn element(xml: &str, name: &str) -> String {
    let inner =
        xml.split_once(&format!("<{name}>")).and_then(|(_, rest)| rest.split_once(&format!("</{name}>")));
    inner.map(|(inner, _)| inner.to_owned()).unwrap_or_default()
}
