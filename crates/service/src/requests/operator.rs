//! The operator's tokens: settings, each for one call.

use spindrift_auth::{bearer, constant_time_eq};
use spindrift_web::Request;

/// Whether the request has this bearer token. An empty one is nobody's.
pub fn has_token(request: &Request, token: &str) -> bool {
    bearer(request.header("authorization")).is_ok_and(|given| constant_time_eq(given, token))
}
