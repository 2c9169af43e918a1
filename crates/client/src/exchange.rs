//! One request and its whole answer, with limits.

use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;
use http::{HeaderMap, Request, StatusCode};
use spindrift_api::ErrorBody;

use crate::{Body, Cause, EndpointError, Transport, retry_after};

/// How many characters of the service's error text an error repeats.
const MAX_ERROR_TEXT: usize = 200;

/// Limits and expectations of a request.
pub(crate) struct Bounds {
    pub(crate) time_out: Duration,
    pub(crate) max_bytes: usize,
    /// The only status that counts as success.
    pub(crate) status: StatusCode,
}

/// Sends a request; returns the body if the answer has the expected status.
pub(crate) async fn ask(
    transport: &dyn Transport,
    request: Request<Bytes>,
    bounds: &Bounds,
) -> Result<Bytes, EndpointError> {
    let url = request.uri().to_string();
    let answer = transport
        .send(request, Some(bounds.time_out))
        .await
        .map_err(|error| failure(&url, None, Cause::Transport(error)))?;
    let status = answer.status();
    let (head, body) = answer.into_parts();
    let body = read(body, bounds.max_bytes).await;
    if status != bounds.status {
        let said = body.ok().as_deref().and_then(error_body);
        return Err(refusal(&url, status, &head.headers, said));
    }
    body.map_err(|cause| failure(&url, Some(status), cause))
}

/// The error in the body of an unusable answer, if it arrives in time.
pub(crate) async fn read_error(body: Body, time_out: Duration, max_bytes: usize) -> Option<ErrorBody> {
    let body = tokio::time::timeout(time_out, read(body, max_bytes)).await.ok()?;
    error_body(&body.ok()?)
}

/// Reads the whole body.
async fn read(mut body: Body, max_bytes: usize) -> Result<Bytes, Cause> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(Cause::Transport)?;
        if bytes.len().saturating_add(chunk.len()) > max_bytes {
            return Err(Cause::TooLarge(max_bytes));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.freeze())
}

/// Parses the service's error body; its text is shortened and put on one line.
fn error_body(body: &[u8]) -> Option<ErrorBody> {
    let body: ErrorBody = serde_json::from_slice(body).ok()?;
    let error = body.error.chars().filter(|c| !c.is_control()).take(MAX_ERROR_TEXT).collect();
    Some(ErrorBody { error, ..body })
}

/// The error for an answer with an unexpected status.
pub(crate) fn refusal(
    url: &str,
    status: StatusCode,
    headers: &HeaderMap,
    said: Option<ErrorBody>,
) -> EndpointError {
    let (text, code) = said.map_or((None, None), |said| (Some(said.error), said.code));
    let mut error = failure(url, Some(status), Cause::Status(text));
    error.code = code;
    error.retry_after = retry_after::parse(headers, SystemTime::now());
    error
}

/// The error for any other unusable answer.
pub(crate) fn failure(url: &str, status: Option<StatusCode>, cause: Cause) -> EndpointError {
    EndpointError {
        url: url.to_owned(),
        status: status.map(|status| status.as_u16()),
        cause,
        code: None,
        retry_after: None,
        edge: None,
    }
}
