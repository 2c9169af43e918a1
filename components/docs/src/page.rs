//! The served pages.

use http::{HeaderName, HeaderValue, StatusCode, header};
use spindrift_web::{Response, response};

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocsCall {
    /// The document, for programs.
    Document,
    /// The page to read it.
    Page,
    /// How the page looks.
    Style,
}

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

/// The answer, for everybody and for shared caches.
pub(crate) fn answer(call: DocsCall) -> Response {
    let (content_type, body): (_, &'static [u8]) = match call {
        DocsCall::Document => ("application/json", include_bytes!("../pages/openapi.json")),
        DocsCall::Page => ("text/html; charset=utf-8", include_bytes!("../pages/index.html")),
        DocsCall::Style => ("text/css; charset=utf-8", include_bytes!("../pages/style.css")),
    };
    let mut answer = response::respond(StatusCode::OK, HeaderValue::from_static(content_type), body);
    answer.headers_mut().extend(GUARDS);
    response::cacheable(answer)
}
