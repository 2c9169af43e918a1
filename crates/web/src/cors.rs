//! [Cross-origin requests](https://fetch.spec.whatwg.org/#http-cors-protocol).

use http::{HeaderMap, Method, StatusCode, header};

use crate::response::{empty, set, vary_by};
use crate::{Request, Response};

/// Seconds for which a browser may cache a preflight answer.
const PREFLIGHT_MAX_AGE_SECONDS: &str = "600";
const METHODS: &str = "GET, HEAD, POST, PATCH, DELETE";
const HEADERS: &str =
    "authorization, content-type, x-device-id, x-download-token, x-request-id, if-none-match";
const EXPOSED: &str = "etag, location, retry-after, x-request-id";

/// The origins that may read answers, checked against the origin of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origins {
    /// Whether any origin is allowed. Answers then vary by origin, even for requests without one.
    any: bool,
    allowed: Option<String>,
}

impl Origins {
    /// `list` is comma-separated. `*` allows every origin; an empty text allows none.
    pub fn of(request: &Request, list: &str) -> Self {
        let mut origins = list.split(',').map(str::trim).filter(|entry| !entry.is_empty()).peekable();
        let any = origins.peek().is_some();
        let origin = if any { request.header(header::ORIGIN.as_str()) } else { None };
        let allowed =
            origin.filter(|origin| origins.any(|entry| entry == "*" || entry.eq_ignore_ascii_case(origin)));
        Self { any, allowed: allowed.map(str::to_owned) }
    }

    /// Whether the request is a preflight from an allowed origin.
    pub fn is_preflight(&self, request: &Request) -> bool {
        self.allowed.is_some()
            && *request.method() == Method::OPTIONS
            && request.header(header::ACCESS_CONTROL_REQUEST_METHOD.as_str()).is_some()
    }

    /// Sets the headers that allow a page of an allowed origin to read the answer.
    pub fn mark(&self, headers: &mut HeaderMap) {
        if let Some(origin) = &self.allowed {
            set(headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            set(headers, header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
        if self.any {
            vary_by(headers, "Origin");
        }
    }
}

/// The answer to a preflight; [`Origins::mark`] adds the origin.
pub fn preflight() -> Response {
    let mut response = empty(StatusCode::NO_CONTENT);
    let headers = response.headers_mut();
    set(headers, header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    set(headers, header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS);
    set(headers, header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE_SECONDS);
    response
}
