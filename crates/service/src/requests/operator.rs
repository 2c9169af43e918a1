//! The operator's tokens: each is a setting and allows one call.

use spindrift_auth::{bearer, constant_time_eq};
use spindrift_web::Request;

/// Whether the request has this bearer token. An empty token never matches.
pub fn has_token(request: &Request, token: &str) -> bool {
    bearer(request.header("authorization")).is_ok_and(|given| constant_time_eq(given, token))
}
