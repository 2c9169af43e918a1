//! The origin of an edge deployment: where scope records come from when there is no database.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use http::header::LOCATION;
use http::{Request, Response, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use spindrift_core::{ArchName, ChannelName, PlatformName, Scope, Updater, Version};
use spindrift_settings::ORIGIN_URL;
use spindrift_storage::ByteStream;
use spindrift_web::ApiError;

use crate::scope_path::dimensions_parameter;
use crate::{Failure, Ports};

/// The path segment of a dimension that the application does not use.
pub const UNUSED_DIMENSION: &str = "default";
/// The parameter that says which dimensions the path of a record names.
pub const DIMENSIONS_PARAMETER: &str = "dimensions";
/// The last path segment of a scope's record; no version has this form.
pub const RECORD_FILE: &str = "scope.json";
/// Time-out of each phase of a request to the origin: a client is waiting.
const TIME_OUT: Duration = Duration::from_secs(5);
/// Largest record that is taken, in bytes.
const MAX_RECORD_BYTES: usize = 2 * 1024 * 1024;
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The service that this deployment is an edge of; `None` for a service with its own database.
pub(crate) fn url(ports: &impl Ports) -> Result<Option<String>, Failure> {
    Ok(ORIGIN_URL.read(ports)?.map(|url| url.trim_end_matches('/').to_owned()))
}

/// The path of a scope's answers, without the last segment: `/responses/{owner}/{app}/{channel}/{platform}/{arch}`.
pub(crate) fn scope_path(scope: &Scope) -> String {
    scope_segments(scope).iter().fold(String::from("/responses"), |path, segment| {
        format!("{path}/{}", utf8_percent_encode(segment, SEGMENT))
    })
}

/// Owner, application, channel, platform, architecture, as in the paths of answers.
pub(crate) fn scope_segments(scope: &Scope) -> [&str; 5] {
    [
        scope.owner.as_str(),
        scope.app.as_str(),
        scope.channel.as_ref().map_or(UNUSED_DIMENSION, ChannelName::as_str),
        scope.platform.as_ref().map_or(UNUSED_DIMENSION, PlatformName::as_str),
        scope.arch.as_ref().map_or(UNUSED_DIMENSION, ArchName::as_str),
    ]
}

/// The path of a native updater's feed, for a client that has `version`.
pub fn feed_path(scope: &Scope, version: &Version, file: &str) -> String {
    let encode = |text| utf8_percent_encode(text, SEGMENT);
    let scope = scope_segments(scope).map(|segment| encode(segment).to_string()).join("/");
    format!("/update/{scope}/{}/{}", encode(version.as_str()), encode(file))
}

/// Path and query of a scope's record; `updater`: of the record of an updater's clients.
pub fn record_path(scope: &Scope, updater: Option<Updater>) -> String {
    let updater = updater.map(|updater| format!("{updater}/")).unwrap_or_default();
    let dimensions = dimensions_parameter(scope);
    format!("{}/{updater}{RECORD_FILE}?{DIMENSIONS_PARAMETER}={dimensions}", scope_path(scope))
}

/// A record at a path of the origin at `base`. A 4xx of the origin is the answer; anything else that is not a
/// record means that the origin cannot be asked.
pub(crate) async fn fetch<P: Ports, R: DeserializeOwned>(
    ports: &P,
    base: &str,
    path: &str,
) -> Result<R, Failure> {
    let response = ask(ports, base, path).await?;
    let status = response.status();
    let mut body = BytesMut::new();
    let mut stream = response.into_body();
    while let Some(chunk) = stream.next().await {
        body.extend_from_slice(&chunk.map_err(|error| unavailable(error.to_string()))?);
        if body.len() > MAX_RECORD_BYTES {
            return Err(unavailable("the record is too large".to_owned()).into());
        }
    }
    match status {
        StatusCode::OK => {
            serde_json::from_slice(&body).map_err(|error| unavailable(error.to_string()).into())
        }
        StatusCode::NOT_FOUND => Err(ApiError::NotFound(error_text(&body).into()).into()),
        StatusCode::BAD_REQUEST => Err(ApiError::BadRequest(error_text(&body).into()).into()),
        other => Err(unavailable(format!("the origin answered {other}")).into()),
    }
}

/// Where the origin sends clients that ask for `path`. `Ok(None)`: it has no such thing.
pub(crate) async fn location<P: Ports>(ports: &P, base: &str, path: &str) -> Result<Option<String>, Failure> {
    let response = ask(ports, base, path).await?;
    match response.status() {
        StatusCode::FOUND => {
            Ok(response.headers().get(LOCATION).and_then(|at| at.to_str().ok()).map(str::to_owned))
        }
        StatusCode::NOT_FOUND => Ok(None),
        other => Err(unavailable(format!("the origin answered {other}")).into()),
    }
}

async fn ask<P: Ports>(ports: &P, base: &str, path: &str) -> Result<Response<ByteStream>, ApiError> {
    let request = Request::get(format!("{base}{path}"))
        .body(Bytes::new())
        .map_err(|error| unavailable(error.to_string()))?;
    ports.send(request, TIME_OUT).await.map_err(|error| unavailable(error.to_string()))
}

fn error_text(body: &[u8]) -> String {
    let body: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    body["error"].as_str().unwrap_or("not found").to_owned()
}

fn unavailable(internal: String) -> ApiError {
    ApiError::Unavailable { public: "the origin is unavailable".into(), internal }
}
