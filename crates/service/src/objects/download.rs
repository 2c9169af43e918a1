//! Serving the bytes of an artifact: by a presigned URL, or through the service.

use std::time::Duration;

use http::{HeaderValue, Method, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use spindrift_core::{Artifact, FileName};
use spindrift_storage::{Storage, StorageError};
use spindrift_web::{Response, ResponseBody};

use super::location;
use crate::{Ports, ServiceError};

/// How long a presigned URL is valid. It is checked when a download starts; a client that resumes asks this
/// service again.
const LINK_LIFETIME: Duration = Duration::from_mins(15);

/// The URL that a caller follows with `method`, `GET` or `HEAD`.
pub fn presign<P: Ports>(
    storage: &Storage<'_, P>,
    artifact: &Artifact,
    method: &Method,
) -> Result<String, ServiceError> {
    let (config, now) = (storage.config(), storage.now());
    let at = location(&artifact.object)?;
    let name = disposition(&artifact.file_name);
    Ok(match *method {
        Method::HEAD => config.presign_head(&at, LINK_LIFETIME, now, Some(&name)),
        _ => config.presign_get(&at, LINK_LIFETIME, now, Some(&name)),
    }?)
}

/// The file itself, for a storage that only the service can reach.
pub async fn through_service<P: Ports>(
    storage: &Storage<'_, P>,
    artifact: &Artifact,
    method: &Method,
) -> Result<Response, ServiceError> {
    let mut response = headers_only(artifact);
    if *method != Method::HEAD {
        let (meta, stream) =
            storage.get_stream(&location(&artifact.object)?).await?.ok_or(StorageError::NoSuchObject)?;
        *response.body_mut() = ResponseBody::Stream(stream, meta.size);
    }
    Ok(response)
}

/// The headers of the file, without its bytes.
fn headers_only(artifact: &Artifact) -> Response {
    let empty = futures::stream::empty();
    let mut response = http::Response::new(ResponseBody::Stream(Box::pin(empty), artifact.size));
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

/// The name under which browsers save the file, in any script:
/// [RFC 8187](https://www.rfc-editor.org/rfc/rfc8187).
fn disposition(name: &FileName) -> String {
    format!("attachment; filename*=UTF-8''{}", utf8_percent_encode(name.as_str(), NON_ALPHANUMERIC))
}
