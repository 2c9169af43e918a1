//! The document, the page and its style sheet, as answers.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use spindrift_web::{Response, response};

/// The page's policy: nothing from elsewhere, and no script or style inside it.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'",
);
/// Headers of all answers: types are not guessed, and no referrer is sent.
const GUARDS: [(HeaderName, HeaderValue); 3] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
];

const DOCUMENT: &[u8] = include_bytes!("../pages/openapi.json");
const STYLE: &[u8] = include_bytes!("../pages/style.css");
/// `build.rs` renders it.
const PAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/page.html"));

pub(crate) fn document() -> Response {
    answer("application/json", Bytes::from_static(DOCUMENT))
}

pub(crate) fn page() -> Response {
    answer("text/html; charset=utf-8", Bytes::from_static(PAGE))
}

/// How the page looks.
pub(crate) fn style() -> Response {
    answer("text/css; charset=utf-8", Bytes::from_static(STYLE))
}

/// The answer, for everybody and for shared caches.
fn answer(content_type: &'static str, body: Bytes) -> Response {
    let mut answer = response::respond(StatusCode::OK, HeaderValue::from_static(content_type), body);
    answer.headers_mut().extend(GUARDS);
    response::cacheable(answer)
}
