//! One request and its whole, bounded answer.

use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;
use http::{HeaderMap, Request, StatusCode};
use serde::Deserialize;

use crate::{Body, Cause, EndpointError, Transport, retry_after};

/// Longest text of the service that an error repeats, in characters.
const MAX_ERROR_TEXT: usize = 200;

/// What a request asks for besides its address.
pub(crate) struct Bounds {
    pub(crate) time_out: Duration,
    pub(crate) max_bytes: usize,
    /// The only status that is a success.
    pub(crate) status: StatusCode,
}

/// Sends, and gives the body of an answer that has the status that it should have.
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
        let text = body.ok().as_deref().and_then(error_text);
        return Err(refusal(&url, status, &head.headers, text));
    }
    body.map_err(|cause| failure(&url, Some(status), cause))
}

/// The text of the service's error in a body that does not count otherwise, if it comes in time.
pub(crate) async fn text(body: Body, time_out: Duration, max_bytes: usize) -> Option<String> {
    let body = tokio::time::timeout(time_out, read(body, max_bytes)).await.ok()?;
    error_text(&body.ok()?)
}

/// The whole body.
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

/// The text of the service's error body, shortened, on one line.
fn error_text(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct ErrorBody {
        error: String,
    }
    let ErrorBody { error } = serde_json::from_slice(body).ok()?;
    Some(error.chars().filter(|c| !c.is_control()).take(MAX_ERROR_TEXT).collect())
}

/// An answer whose status is not the one asked for.
pub(crate) fn refusal(
    url: &str,
    status: StatusCode,
    headers: &HeaderMap,
    text: Option<String>,
) -> EndpointError {
    let mut error = failure(url, Some(status), Cause::Status(text));
    error.retry_after = retry_after::parse(headers, SystemTime::now());
    error
}

/// Any other unusable answer.
pub(crate) fn failure(url: &str, status: Option<StatusCode>, cause: Cause) -> EndpointError {
    EndpointError {
        url: url.to_owned(),
        status: status.map(|status| status.as_u16()),
        cause,
        retry_after: None,
        edge: None,
    }
}
