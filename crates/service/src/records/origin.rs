//! The origin of an edge deployment, from which it gets scope records instead of a database.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use futures::future::LocalBoxFuture;
use http::header::LOCATION;
use http::{Request, Response, StatusCode};
use serde::de::DeserializeOwned;
use spindrift_api::ErrorBody;
use spindrift_core::feeds::FILES_FOLDER;
use spindrift_core::{DIMENSIONS_PARAMETER, Scope, Updater, Version, encode_segments};
use spindrift_settings::ORIGIN_URL;
use spindrift_storage::ByteStream;
use spindrift_web::Reason;

use crate::{Ports, ServiceError};

/// The last path segment of a scope's record; it is not a valid version.
pub const RECORD_FILE: &str = "scope.json";
/// Timeout for each phase of a request to the origin, because a client is waiting.
const TIME_OUT: Duration = Duration::from_secs(5);
/// Largest accepted record, in bytes.
const MAX_RECORD_BYTES: usize = 2 * 1024 * 1024;

/// Runs `ask` with `origin_url`, the service whose edge this deployment is. `None`: it is not an edge.
///
/// The future is boxed, so that a component of the service does not contain it, and does not import an HTTP
/// client.
pub(crate) fn ask_at_edge<'p, P: Ports, T: 'p>(
    ports: &'p P,
    ask: impl AsyncFnOnce(String) -> Result<T, ServiceError> + 'p,
) -> Option<LocalBoxFuture<'p, Result<T, ServiceError>>> {
    if !ports.is_edge() {
        return None;
    }
    Some(Box::pin(async move {
        let url = ORIGIN_URL
            .read(ports)?
            .ok_or_else(|| ServiceError::OriginUnavailable("origin_url is empty".to_owned()))?;
        ask(url.trim_end_matches('/').to_owned()).await
    }))
}

/// The path of a native updater's feed, for a client that has `version`. `pairs` are further facts about the
/// client, as in [`RawClientFacts::pairs`](spindrift_core::RawClientFacts::pairs).
pub fn feed_path(scope: &Scope, version: &Version, pairs: &str, file: &str) -> String {
    let [version, file] = [version.as_str(), file].map(|segment| encode_segments([segment]));
    format!("/update/{}/{version}{pairs}/{file}", scope.path())
}

/// The path of a file of exactly the release with this version.
pub(crate) fn file_path(scope: &Scope, version: &Version, file: &str) -> String {
    format!("/update/{}/{}", scope.path(), encode_segments([version.as_str(), FILES_FOLDER, file]))
}

/// Path and query of a scope's record, or of an updater's record if `updater` is given.
pub fn record_path(scope: &Scope, updater: Option<Updater>) -> String {
    let updater = updater.map(|updater| format!("{updater}/")).unwrap_or_default();
    let (path, used) = (scope.path(), scope.used_dimensions());
    format!("/responses/{path}/{updater}{RECORD_FILE}?{DIMENSIONS_PARAMETER}={used}")
}

/// Fetches a record from a path of the origin at `base`. A 4xx of the origin becomes the answer. Everything
/// else that is not a record means that the origin is unavailable.
pub(crate) async fn fetch<P: Ports, R: DeserializeOwned>(
    ports: &P,
    base: &str,
    path: &str,
) -> Result<R, ServiceError> {
    let response = ask(ports, base, path).await?;
    let status = response.status();
    let mut body = BytesMut::new();
    let mut stream = response.into_body();
    while let Some(chunk) = stream.next().await {
        body.extend_from_slice(&chunk.map_err(|error| ServiceError::OriginUnavailable(error.to_string()))?);
        if body.len() > MAX_RECORD_BYTES {
            return Err(ServiceError::OriginUnavailable("the record is too large".to_owned()));
        }
    }
    match status {
        StatusCode::OK => {
            serde_json::from_slice(&body).map_err(|error| ServiceError::OriginUnavailable(error.to_string()))
        }
        StatusCode::NOT_FOUND => Err(ServiceError::UnknownAtOrigin(reason(&body))),
        StatusCode::BAD_REQUEST => Err(ServiceError::RefusedByOrigin(reason(&body))),
        other => Err(ServiceError::OriginUnavailable(format!("the origin answered {other}"))),
    }
}

/// The URL that the origin redirects `path` to. `Ok(None)`: the origin does not have it.
pub(crate) async fn location<P: Ports>(
    ports: &P,
    base: &str,
    path: &str,
) -> Result<Option<String>, ServiceError> {
    let response = ask(ports, base, path).await?;
    match response.status() {
        StatusCode::FOUND => {
            Ok(response.headers().get(LOCATION).and_then(|at| at.to_str().ok()).map(str::to_owned))
        }
        StatusCode::NOT_FOUND => Ok(None),
        StatusCode::GONE => Err(ServiceError::Withdrawn),
        other => Err(ServiceError::OriginUnavailable(format!("the origin answered {other}"))),
    }
}

async fn ask<P: Ports>(ports: &P, base: &str, path: &str) -> Result<Response<ByteStream>, ServiceError> {
    let request = Request::get(format!("{base}{path}"))
        .body(Bytes::new())
        .map_err(|error| ServiceError::OriginUnavailable(error.to_string()))?;
    ports.send(request, TIME_OUT).await.map_err(|error| ServiceError::OriginUnavailable(error.to_string()))
}

/// The origin's own error text.
fn reason(body: &[u8]) -> Reason {
    match serde_json::from_slice(body) {
        Ok(ErrorBody { error, code: Some(code), .. }) => Reason::new(code, error),
        Ok(ErrorBody { error, code: None, .. }) => error.into(),
        Err(_) => "not found".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Failure;

    #[test]
    fn the_origin_is_quoted() {
        for (body, text, code) in [
            (r#"{"error":"missing version","code":"missing_field"}"#, "missing version", "missing_field"),
            (r#"{"error":"gone away","code":"of_tomorrow"}"#, "gone away", "of_tomorrow"),
            (r#"{"error":"old"}"#, "old", "not_found"),
            ("<html>", "not found", "not_found"),
        ] {
            let error = Failure::from(ServiceError::UnknownAtOrigin(reason(body.as_bytes()))).into_api();
            let shown = (error.to_string(), error.code().map(|code| code.to_string()));
            assert_eq!(shown, (text.to_owned(), Some(code.to_owned())), "{body}");
        }
    }
}
