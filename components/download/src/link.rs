//! The response for a file: a presigned URL or its bytes.

use std::time::Duration;

use http::{HeaderValue, Method, StatusCode, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use spindrift_api::DownloadBody;
use spindrift_core::{DownloadMode, FileName};
use spindrift_db::artifacts::OwnedArtifact;
use spindrift_service::objects::location;
use spindrift_service::{Failure, Ports, settings};
use spindrift_storage::{Storage, StorageConfig, StorageDriver};
use spindrift_web::{ApiError, Body, Query, Request, Response, response};

/// How long a presigned URL is valid. It is checked when a download starts; a client that resumes asks this service
/// again.
const LINK_LIFETIME: Duration = Duration::from_mins(15);

/// The form in which a presigned URL is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// In a JSON body.
    Json,
    /// As a redirect.
    Redirect,
}

impl Form {
    /// The form asked for by the query or, if the download needed credentials, by `Accept`. Scripts in a browser cannot
    /// follow a redirect to another origin with their `Authorization` header.
    pub(crate) fn asked(query: &Query, request: &Request, mode: DownloadMode) -> Self {
        let accept = request.header(header::ACCEPT.as_str()).unwrap_or_default();
        if query.get("format") == Some("json") || (mode != DownloadMode::Unlisted && prefers_json(accept)) {
            Self::Json
        } else {
            Self::Redirect
        }
    }
}

/// Whether `Accept` names JSON before `*/*`.
fn prefers_json(accept: &str) -> bool {
    let is = |range: &&str, name| range.eq_ignore_ascii_case(name);
    let mut ranges = accept.split(',').map(|range| range.split(';').next().unwrap_or_default().trim());
    ranges
        .find(|range| is(range, "application/json") || is(range, "*/*"))
        .is_some_and(|range| is(&range, "application/json"))
}

pub(crate) async fn respond<P: Ports>(
    ports: &P,
    owned: &OwnedArtifact,
    method: &Method,
    form: Form,
) -> Result<Response, Failure> {
    let config = settings::storage(ports)?;
    let mut response = match config.driver() {
        StorageDriver::S3 => linked(ports, &config, owned, method, form)?,
        StorageDriver::S3Internal if *method == Method::HEAD => described(owned),
        StorageDriver::S3Internal => streamed(ports, &config, owned).await?,
    };
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    Ok(response)
}

fn linked<P: Ports>(
    ports: &P,
    config: &StorageConfig,
    owned: &OwnedArtifact,
    method: &Method,
    form: Form,
) -> Result<Response, Failure> {
    let at = location(&owned.artifact.object)?;
    let name = disposition(&owned.artifact.file_name);
    let url = match (form, method) {
        // Clients follow the redirect of a HEAD with another HEAD.
        (Form::Redirect, &Method::HEAD) => config.presign_head(&at, LINK_LIFETIME, ports.now(), Some(&name)),
        _ => config.presign_get(&at, LINK_LIFETIME, ports.now(), Some(&name)),
    }?;
    match form {
        Form::Json => Ok(response::json(StatusCode::OK, &DownloadBody { download_url: url })?),
        Form::Redirect => Ok(response::redirect(&url)?),
    }
}

/// For a storage that only the service can reach.
async fn streamed<P: Ports>(
    ports: &P,
    config: &StorageConfig,
    owned: &OwnedArtifact,
) -> Result<Response, Failure> {
    let storage = Storage::new(config, ports, || ports.now());
    let (meta, stream) = storage.get_stream(&location(&owned.artifact.object)?).await?.ok_or_else(|| {
        ApiError::Storage { internal: "a recorded artifact is not in the storage".to_owned() }
    })?;
    let mut response = described(owned);
    *response.body_mut() = Body::Stream(stream, meta.size);
    Ok(response)
}

/// The headers of the file, without its bytes.
fn described(owned: &OwnedArtifact) -> Response {
    let artifact = &owned.artifact;
    let empty = futures::stream::empty();
    let mut response = http::Response::new(Body::Stream(Box::pin(empty), artifact.size));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    for (name, value) in [
        (header::ETAG, format!("\"{}\"", artifact.md5)),
        (header::CONTENT_DISPOSITION, disposition(&artifact.file_name)),
    ] {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
    response
}

/// The name under which browsers save the file, in any script: [RFC 8187](https://www.rfc-editor.org/rfc/rfc8187).
fn disposition(name: &FileName) -> String {
    format!("attachment; filename*=UTF-8''{}", utf8_percent_encode(name.as_str(), NON_ALPHANUMERIC))
}

#[cfg(test)]
mod tests {
    use super::prefers_json;

    #[test]
    fn clients_that_read_json() {
        for (accept, expected) in [
            ("", false),
            ("*/*", false),
            ("application/json", true),
            ("application/json, text/plain, */*", true),
            ("text/plain, Application/JSON;q=0.5", true),
            ("*/*, application/json", false),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false),
            ("application/octet-stream", false),
            ("application/jsonl", false),
        ] {
            assert_eq!(prefers_json(accept), expected, "{accept}");
        }
    }
}
