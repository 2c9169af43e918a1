//! `GET /tuf/repository/{owner}/{app}/metadata/{file}`: the bytes as they were accepted.

use http::{HeaderValue, StatusCode, header};
use spindrift_core::Visibility;
use spindrift_db::repository_files;
use spindrift_service::{Failure, Ports};
use spindrift_trust::{MetadataFile, MetadataVersion};
use spindrift_web::{Reply, Request, Response, response};

use super::access::{may_read_metadata, not_found, with_cache_control};
use super::path::RepositoryPath;
use super::refresh::refresh_after;

/// `Cache-Control` of a file that never changes: a year.
const CACHE_FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

pub(crate) fn answer<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure> {
    let Some(path) = RepositoryPath::parse(request.path()) else {
        return Ok(not_found("repository", Visibility::Public).into());
    };
    let Ok(file) = path.rest.parse::<MetadataFile>() else {
        return Ok(not_found("metadata", Visibility::Public).into());
    };
    let now = ports.now();
    let conn = spindrift_db::open(ports, now)?;
    let version = file.version().map(MetadataVersion::number);
    let (name, role) = (path.name.to_string(), file.role().to_string());
    let Some(mut found) = repository_files::metadata(&conn, &name, &role, version, now)? else {
        return Ok(not_found("repository", Visibility::Public).into());
    };
    let content = found.content.take();
    let is_admitted = may_read_metadata(ports, &conn, request, &found.repository, content.is_some())?;
    let visibility = found.repository.visibility;
    let Some(content) = content.filter(|_| is_admitted) else {
        return Ok(not_found("metadata", visibility).into());
    };
    let after = if version.is_none() { refresh_after(ports, &found, now) } else { None };
    Ok(Reply { response: render(content, &file, visibility, request), after })
}

fn render(content: String, file: &MetadataFile, visibility: Visibility, request: &Request) -> Response {
    let if_none_match = request.header(header::IF_NONE_MATCH.as_str());
    let response = response::cacheable(response::respond(StatusCode::OK, JSON, content));
    let response = response::conditional(response, if_none_match);
    let public = if file.version().is_some() { CACHE_FOR_EVER } else { response::CACHE_PUBLIC };
    with_cache_control(response, visibility, public)
}
