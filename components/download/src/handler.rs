//! Parse, load, decide, render.

use std::time::Duration;

use http::{HeaderValue, Method, StatusCode, header};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use spindrift_core::{Action, FileName, StoredObject, Visibility};
use spindrift_db::artifacts::{self, Recorded};
use spindrift_service::objects::location;
use spindrift_service::principal::authenticate;
use spindrift_service::{Failure, Ports, settings};
use spindrift_storage::{Storage, StorageConfig, StorageDriver};
use spindrift_web::{ApiError, Body, Request, Response, response};

/// How long a signed link works. It is checked when a download starts; one that is resumed asks here again.
const LINK_LIFETIME: Duration = Duration::from_mins(15);

pub(crate) async fn download<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let open_to_all = settings::flag(ports, "enable_private_app_downloading", false)?;
    let principal = if open_to_all { None } else { Some(authenticate(ports, &conn, request)?) };
    let query = request.query()?;
    let key: String = query.required("key")?;
    let as_json = query.get("format") == Some("json");
    let object = StoredObject { bucket: Visibility::Private, key };
    let recorded = artifacts::by_object(&conn, &object)?
        .filter(|recorded| match &principal {
            Some(principal) => recorded.owner_id == principal.owner_id,
            None => recorded.published,
        })
        .ok_or_else(|| ApiError::not_found("artifact"))?;
    if let Some(principal) = principal {
        principal.require(Action::Download, Some(&recorded.app_id))?;
    }
    let config = settings::storage(ports)?;
    let mut response = match config.driver() {
        // A link signed for GET refuses HEAD, so HEAD is answered from what is recorded.
        _ if *request.method() == Method::HEAD => described(&recorded),
        StorageDriver::S3 => linked(ports, &config, &recorded, as_json)?,
        StorageDriver::S3Internal => streamed(ports, &config, &recorded).await?,
    };
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    Ok(response)
}

fn linked<P: Ports>(
    ports: &P,
    config: &StorageConfig,
    recorded: &Recorded,
    as_json: bool,
) -> Result<Response, Failure> {
    let at = location(&recorded.artifact.object)?;
    let name = disposition(&recorded.artifact.file_name);
    let url = config.presign_get(&at, LINK_LIFETIME, ports.now(), Some(&name))?;
    if as_json {
        return Ok(response::json(StatusCode::OK, &serde_json::json!({ "download_url": url }))?);
    }
    Ok(response::redirect(&url)?)
}

/// For a storage that only the service reaches.
async fn streamed<P: Ports>(
    ports: &P,
    config: &StorageConfig,
    recorded: &Recorded,
) -> Result<Response, Failure> {
    let storage = Storage::new(config, ports, || ports.now());
    let (meta, stream) =
        storage.get_stream(&location(&recorded.artifact.object)?).await?.ok_or_else(|| {
            ApiError::Storage { internal: "a recorded artifact is not in the storage".to_owned() }
        })?;
    let mut response = described(recorded);
    *response.body_mut() = Body::Stream(stream, meta.size);
    Ok(response)
}

/// The headers of the file, without its bytes.
fn described(recorded: &Recorded) -> Response {
    let artifact = &recorded.artifact;
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

/// The name that browsers save the file under, in any script: [RFC 8187](https://www.rfc-editor.org/rfc/rfc8187).
fn disposition(name: &FileName) -> String {
    format!("attachment; filename*=UTF-8''{}", utf8_percent_encode(name.as_str(), NON_ALPHANUMERIC))
}
