//! What the calls of people have in common: their bodies are small, their answers are for nobody else.

use http::{StatusCode, header};
use serde::Serialize;
use spindrift_core::Id;
use spindrift_web::{ApiError, Request, Response, response};

use crate::requests::principal::{Principal, authenticate_user};
use crate::{Failure, Ports};

/// Largest JSON of a management call, in bytes: room for allowed lists of thousands of identifiers.
pub const MAX_JSON_BYTES: usize = 256 * 1024;

/// Who calls, and the connection on which to serve them. A CI token is a 403.
pub fn enter<P: Ports>(ports: &P, request: &Request) -> Result<(P::Conn, Principal), Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let principal = authenticate_user(ports, &conn, request)?;
    Ok((conn, principal))
}

/// As [`enter`], for calls that are for admins only: a team user is a 403 before anything of the request is looked at.
pub fn enter_as_admin<P: Ports>(ports: &P, request: &Request) -> Result<(P::Conn, Principal), Failure> {
    let (conn, principal) = enter(ports, request)?;
    principal.require(spindrift_core::Action::Administer, None)?;
    Ok((conn, principal))
}

/// JSON that no cache may keep.
pub fn private_json(status: StatusCode, body: &impl Serialize) -> Result<Response, Failure> {
    let mut response = response::json(status, body)?;
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    Ok(response)
}

/// A text that must be there; 400 `missing <name>` when it is not, or empty.
pub fn required(value: Option<String>, name: &str) -> Result<String, ApiError> {
    value.filter(|text| !text.is_empty()).ok_or_else(|| ApiError::missing(name))
}

/// The identifier in the query's `id`; 400 `missing id` without it.
pub fn query_id(request: &Request) -> Result<Id, ApiError> {
    request.query()?.get("id").map(Id::from_text).ok_or_else(|| ApiError::missing("id"))
}
