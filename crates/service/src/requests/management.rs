//! Helpers for management calls, which people make: their bodies are small, and their answers are private.

use http::{StatusCode, header};
use serde::Serialize;
use spindrift_core::audit::MAX_REASON_CHARS;
use spindrift_core::{App, AppName, Id, MAX_PUBLIC_REASON_CHARS, check_plain};
use spindrift_db::{SqlConn, apps};
use spindrift_web::{ApiError, Query, Request, Response, response};

use crate::requests::principal::{Principal, authenticate, authenticate_user};
use crate::{Failure, Ports, ServiceError};

/// Largest JSON body of a management call, in bytes: room for lists of thousands of allowed ids.
pub const MAX_JSON_BYTES: usize = 256 * 1024;

/// Authenticates a person and opens the connection for the call. Fails for a CI token.
pub fn enter<P: Ports>(ports: &P, request: &Request) -> Result<(P::Conn, Principal), ServiceError> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let principal = authenticate_user(ports, &conn, request)?;
    Ok((conn, principal))
}

/// Like [`enter`], also for a CI token. Its rights determine the actions that it may perform.
pub fn enter_with_token<P: Ports>(
    ports: &P,
    request: &Request,
) -> Result<(P::Conn, Principal), ServiceError> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let principal = authenticate(ports, &conn, request)?;
    Ok((conn, principal))
}

/// Like [`enter`], for calls that only admins may make: a team user is refused before the rest of the request
/// is read.
pub fn enter_as_admin<P: Ports>(ports: &P, request: &Request) -> Result<(P::Conn, Principal), ServiceError> {
    let (conn, principal) = enter(ports, request)?;
    principal.require(spindrift_core::Action::Administer, None)?;
    Ok((conn, principal))
}

/// Reads a reason that clients are shown. Fails if it is missing, too long, or not on one line.
pub fn public_reason(reason: Option<String>) -> Result<String, ServiceError> {
    let reason = reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
    let reason = reason.ok_or(ServiceError::MissingField("reason"))?;
    check_reason(&reason, MAX_PUBLIC_REASON_CHARS)?;
    Ok(reason)
}

/// Reads a reason for the audit log, which clients are never shown. Fails if it is too long or not on one
/// line.
pub fn reason(reason: Option<String>) -> Result<Option<String>, ApiError> {
    let reason = reason.map(|reason| reason.trim().to_owned()).filter(|reason| !reason.is_empty());
    if let Some(reason) = &reason {
        check_reason(reason, MAX_REASON_CHARS)?;
    }
    Ok(reason)
}

/// Reasons are displayed on one line, in chat messages too.
fn check_reason(reason: &str, max_chars: usize) -> Result<(), ApiError> {
    if reason.chars().count() > max_chars {
        return Err(ApiError::bad_request(format!("invalid reason: at most {max_chars} characters")));
    }
    check_plain(reason).map_err(|error| ApiError::bad_request(format!("invalid reason: {error}")))
}

/// A JSON response that no cache may store.
pub fn private_json(status: StatusCode, body: &impl Serialize) -> Result<Response, Failure> {
    let mut response = response::json(status, body)?;
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    Ok(response)
}

/// The id in the query parameter `id`. Fails without it.
pub fn query_id(request: &Request) -> Result<Id, ServiceError> {
    request.query()?.get("id").map(Id::from_text).ok_or(ServiceError::MissingField("id"))
}

/// The owner's application that the query parameter `app` names. Fails if the parameter is missing, if there
/// is no such application, or if the caller may not see it.
pub fn query_app(conn: &impl SqlConn, principal: &Principal, query: &Query) -> Result<App, ServiceError> {
    named_app(conn, principal, &query.required("app")?)
}

/// The owner's application of this name. Fails if there is none, or if the caller may not see it.
pub fn named_app(conn: &impl SqlConn, principal: &Principal, name: &AppName) -> Result<App, ServiceError> {
    let app =
        apps::by_name(conn, &principal.owner_id, name)?.ok_or(ServiceError::UnknownName("application"))?;
    principal.require_visible(&app.id, "application")?;
    Ok(app)
}
