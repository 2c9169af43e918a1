//! Helpers for management calls, which people make: their bodies are small, and their answers are private.

use http::{StatusCode, header};
use serde::Serialize;
use spindrift_core::audit::MAX_REASON_CHARS;
use spindrift_core::{Id, MAX_PUBLIC_REASON_CHARS, check_plain};
use spindrift_web::{ApiError, Request, Response, response};

use crate::{Failure, ServiceError};

/// Largest JSON body of a management call, in bytes: room for lists of thousands of allowed ids.
pub const MAX_JSON_BYTES: usize = 256 * 1024;

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
