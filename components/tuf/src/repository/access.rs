//! Read access to a repository, and how long caches may keep its answers.

use http::{HeaderValue, header};
use spindrift_core::{Action, Visibility};
use spindrift_db::repository_files::ReadRepository;
use spindrift_service::requests::principal::{Principal, authenticate};
use spindrift_service::requests::private_files::{PrivateFile, TokenScope, admits};
use spindrift_service::{Ports, ServiceError, settings};
use spindrift_web::{ApiError, Request, Response, response};

/// Whether the requested file, if it exists at all, exists for the caller. It always does if the application
/// is public; otherwise the rules and the 401 and 403 errors for downloads apply. `published`: whether
/// everyone with the required credentials may have the file.
pub(crate) fn may_read<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
    repository: &ReadRepository,
    tokens: TokenScope<'_>,
    published: bool,
) -> Result<bool, ServiceError> {
    if repository.visibility == Visibility::Public {
        return Ok(true);
    }
    let mode = repository.download_mode.map_or_else(|| settings::default_download_mode(ports), Ok)?;
    let (owner_id, app_id) = (&repository.owner_id, &repository.app_id);
    let file = PrivateFile { owner_id, app_id, tokens, published };
    admits(ports, conn, request, &request.query()?, mode, Some(file))
}

/// Like [`may_read`], for metadata. A caller who may sign it may also read it, even a CI token, which may not
/// download anything: the next metadata to sign is made from verified metadata.
pub(crate) fn may_read_metadata<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
    repository: &ReadRepository,
    published: bool,
) -> Result<bool, ServiceError> {
    // A token for a single channel is sufficient, because the whole chain of files is needed to verify that
    // channel's releases.
    let refused = match may_read(ports, conn, request, repository, TokenScope::OfApp, published) {
        Ok(true) => return Ok(true),
        Err(error) if !is_refusal(&error) => return Err(error),
        refused => refused,
    };
    match authenticate(ports, conn, request) {
        Ok(principal) if may_sign(&principal, repository) => Ok(true),
        Err(failure) if !is_refusal(&failure) => Err(failure),
        _ => refused,
    }
}

fn may_sign(principal: &Principal, repository: &ReadRepository) -> bool {
    principal.owner_id == repository.owner_id && principal.actor.may(Action::Sign, Some(&repository.app_id))
}

/// Whether the error is about the caller. Any other error is a failure of the service, which must not look
/// like "does not exist".
fn is_refusal(error: &ServiceError) -> bool {
    matches!(error, ServiceError::Unauthenticated(_) | ServiceError::Denied(_) | ServiceError::NotForCiTokens)
}

/// Sets which caches may keep an answer: none if the application is private, otherwise all, as `public`
/// specifies.
pub(crate) fn with_cache_control(
    mut response: Response,
    visibility: Visibility,
    public: HeaderValue,
) -> Response {
    let value = if visibility == Visibility::Public { public } else { response::CACHE_PRIVATE };
    response.headers_mut().insert(header::CACHE_CONTROL, value);
    response
}

/// 404 `<thing> not found`. Every client regularly asks for the next root, so caches may keep this answer for
/// a minute, but not longer, because it hides a new root.
pub(crate) fn not_found(thing: &str, visibility: Visibility) -> Response {
    with_cache_control(response::error(&ApiError::not_found(thing), ""), visibility, response::CACHE_PUBLIC)
}
