//! The response for a file: a presigned URL or its bytes.

use http::{Method, StatusCode, header};
use spindrift_api::DownloadBody;
use spindrift_core::{Artifact, DownloadMode};
use spindrift_service::objects::download::{presign, through_service};
use spindrift_service::objects::storage;
use spindrift_service::{Failure, Ports};
use spindrift_storage::StorageDriver;
use spindrift_web::{Query, Request, Response, response};

/// The form in which a presigned URL is returned. The body is the same JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkForm {
    /// For callers that read the body and may not follow redirects.
    Json,
    /// As a redirect. Scripts that read the body of any answer, such as `curl` without `-L`, find the URL
    /// there too.
    Redirect,
}

impl LinkForm {
    /// The form asked for by the query or, if the download needed credentials, by `Accept`. Scripts in a
    /// browser cannot follow a redirect to another origin with their `Authorization` header.
    pub(crate) fn of_request(query: &Query, request: &Request, mode: DownloadMode) -> Self {
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
    artifact: &Artifact,
    method: &Method,
    form: LinkForm,
) -> Result<Response, Failure> {
    let storage = storage(ports)?;
    let mut response = match (storage.config().driver(), form) {
        // Clients follow the redirect of a HEAD with another HEAD.
        (StorageDriver::S3, LinkForm::Redirect) => {
            let download_url = presign(&storage, artifact, method)?;
            let redirect = response::redirect(&download_url)?;
            let mut response = response::json(StatusCode::FOUND, &DownloadBody { download_url })?;
            response.headers_mut().extend(redirect.into_parts().0.headers);
            response
        }
        (StorageDriver::S3, LinkForm::Json) => {
            let download_url = presign(&storage, artifact, &Method::GET)?;
            response::json(StatusCode::OK, &DownloadBody { download_url })?
        }
        (StorageDriver::S3Internal, _) => through_service(&storage, artifact, method).await?,
    };
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    Ok(response)
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
