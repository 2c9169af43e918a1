//! [Cross-origin requests](https://fetch.spec.whatwg.org/#http-cors-protocol).

use http::{HeaderMap, Method, StatusCode, header};

use crate::response::{empty, set};
use crate::{Request, Response};

/// Seconds that a browser may remember a preflight answer.
const PREFLIGHT_MAX_AGE_SECONDS: &str = "600";
const METHODS: &str = "GET, HEAD, POST, PATCH, DELETE";
const HEADERS: &str =
    "authorization, content-type, x-device-id, x-download-token, x-request-id, if-none-match";
const EXPOSED: &str = "etag, location, retry-after, x-request-id";

/// The origin of a request, if `allowed` (a comma list; `*` is every origin) lists it.
pub fn allowed_origin<'r>(request: &'r Request, allowed: &str) -> Option<&'r str> {
    let origin = request.header(header::ORIGIN.as_str())?;
    allowed
        .split(',')
        .map(str::trim)
        .any(|entry| entry == "*" || entry.eq_ignore_ascii_case(origin))
        .then_some(origin)
}

/// Whether the request only asks what it may send.
pub fn is_preflight(request: &Request) -> bool {
    *request.method() == Method::OPTIONS
        && request.header(header::ACCESS_CONTROL_REQUEST_METHOD.as_str()).is_some()
}

/// The answer to a preflight; [`allow`] adds the origin.
pub fn preflight() -> Response {
    let mut response = empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    set(headers, header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    set(headers, header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    set(headers, header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE_SECONDS);
    response
}

/// Lets a page of `origin` read the answer.
pub fn allow(headers: &mut HeaderMap, origin: &str) {
    set(headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    set(headers, header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.append(header::VARY, http::HeaderValue::from_static("origin"));
}
