//! Read access to a repository, and how long caches may keep its answers.

use http::{HeaderValue, header};
use spindrift_core::{Action, Visibility};
use spindrift_db::repository_files::ReadRepository;
use spindrift_service::requests::principal::{Principal, authenticate};
use spindrift_service::requests::private_files::{PrivateFile, Tokens, admits};
use spindrift_service::{Ports, ServiceError, settings};
use spindrift_web::{ApiError, Request, Response, response};

/// Whether what the caller asks for exists for it, if it exists at all: always if the application is public, else as with
/// downloads, with a 401 or 403 as there. `published`: whether it is there for everybody who shows what is demanded.
pub(crate) fn may_read<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
    repository: &ReadRepository,
    tokens: Tokens<'_>,
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

/// Like [`may_read`], of metadata. Everyone who may sign it may read it, also a CI token, which may download nothing: what is
/// signed next is made from what is verified.
pub(crate) fn may_read_metadata<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
    repository: &ReadRepository,
    published: bool,
) -> Result<bool, ServiceError> {
    // A token of one channel has to do, because the whole chain of files is needed to verify that channel's releases.
    let refused = match may_read(ports, conn, request, repository, Tokens::OfApp, published) {
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

/// Whether it is about the caller. Anything else is a failure of ours, which must not read as "nothing there".
fn is_refusal(error: &ServiceError) -> bool {
    matches!(error, ServiceError::Unauthenticated(_) | ServiceError::Denied(_) | ServiceError::NotForCiTokens)
}

/// Sets who may keep an answer: nobody, or everybody for as long as `public` says.
pub(crate) fn keep(mut response: Response, visibility: Visibility, public: HeaderValue) -> Response {
    let value = if visibility == Visibility::Public { public } else { response::CACHE_PRIVATE };
    response.headers_mut().insert(header::CACHE_CONTROL, value);
    response
}

/// 404 `<thing> not found`. Clients ask for the next root each time, so caches may keep the answer for a minute: not
/// longer, because it hides the root.
pub(crate) fn absent(thing: &str, visibility: Visibility) -> Response {
    keep(response::error(&ApiError::not_found(thing), ""), visibility, response::CACHE_PUBLIC)
}
