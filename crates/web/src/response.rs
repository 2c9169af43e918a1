//! Responses: bodies, JSON, caching, errors.

use std::hash::{DefaultHasher, Hasher as _};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use serde::Serialize;
use spindrift_api::ErrorBody;

use crate::{ApiError, ByteStream};

/// The body of a response.
pub enum ResponseBody {
    /// The complete body.
    Full(Bytes),
    /// Chunks, and their total length in bytes.
    Stream(ByteStream, u64),
}

impl ResponseBody {
    /// Length in bytes, as in `content-length`.
    pub fn len(&self) -> u64 {
        match self {
            Self::Full(bytes) => bytes.len() as u64,
            Self::Stream(_, length) => *length,
        }
    }

    /// Whether the length is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A response; `content-length` is set when it is sent.
pub type Response = http::Response<ResponseBody>;

/// `Cache-Control` of answers that are the same for every caller.
pub const CACHE_PUBLIC: HeaderValue = HeaderValue::from_static("public, max-age=60, must-revalidate");
/// Seconds for which caches keep such an answer.
pub const CACHE_SECONDS: u32 = 60;
/// `Cache-Control` of answers for one device or one user.
pub const CACHE_PRIVATE: HeaderValue = HeaderValue::from_static("private, no-store");
/// `Cache-Control` of errors, and of answers about the present state: a cache must not hide that something
/// works again.
pub const CACHE_NOTHING: HeaderValue = HeaderValue::from_static("no-store");
/// `Retry-After` of a 503, in seconds: long enough for a store to restart or a lock to end.
const UNAVAILABLE_RETRY_SECONDS: &str = "5";
/// `Retry-After` while another call is working, in seconds.
const BUSY_RETRY_SECONDS: &str = "2";
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A response with a body of `content_type`.
pub fn respond(status: StatusCode, content_type: HeaderValue, body: impl Into<Bytes>) -> Response {
    let mut response = http::Response::new(ResponseBody::Full(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    response
}

/// A response without a body.
pub fn empty(status: StatusCode) -> Response {
    let mut response = http::Response::new(ResponseBody::Full(Bytes::new()));
    *response.status_mut() = status;
    response
}

pub fn json(status: StatusCode, body: &impl Serialize) -> Result<Response, ApiError> {
    let bytes =
        serde_json::to_vec(body).map_err(|error| ApiError::Internal { internal: error.to_string() })?;
    Ok(respond(status, JSON, bytes))
}

/// 302 to `location`.
pub fn redirect(location: &str) -> Result<Response, ApiError> {
    let value = HeaderValue::try_from(location)
        .map_err(|_| ApiError::Internal { internal: "a redirect target is not a header value".to_owned() })?;
    let mut response = empty(StatusCode::FOUND);
    response.headers_mut().insert(header::LOCATION, value);
    Ok(response)
}

/// The error as a response that caches must not store. A 500 includes the request id, with which the cause
/// can be found in the log, unless the answer consists of text alone.
pub fn error(error: &ApiError, request_id: &str) -> Response {
    let body = ErrorBody {
        error: error.to_string(),
        code: error.code(),
        files: match error {
            ApiError::UnfitFiles { files, .. } => files.clone(),
            _ => Vec::new(),
        },
        devices: match error {
            ApiError::WouldCutOff { devices } => Some(*devices),
            ApiError::WouldSkip { devices, .. } => Some(Some(*devices)),
            _ => None,
        },
        passkey: match error {
            ApiError::SecondFactorRequired { passkey } => passkey.as_deref().cloned(),
            _ => None,
        },
        request_id: has_request_id(error).then(|| request_id.to_owned()),
    };
    // Serializing cannot fail: all keys and values are text.
    let mut response = respond(error.status(), JSON, serde_json::to_vec(&body).unwrap_or_default());
    response.headers_mut().insert(header::CACHE_CONTROL, CACHE_NOTHING);
    error_headers(error, response.headers_mut());
    response
}

fn has_request_id(error: &ApiError) -> bool {
    error.status() == StatusCode::INTERNAL_SERVER_ERROR && !matches!(error, ApiError::TextAlone(_))
}

fn error_headers(error: &ApiError, headers: &mut HeaderMap) {
    match error {
        ApiError::MethodNotAllowed(methods) => {
            let allow = methods.iter().map(Method::as_str).collect::<Vec<_>>().join(", ");
            set(headers, header::ALLOW, &allow);
        }
        ApiError::TooManyRequests { retry_after } => {
            set(headers, header::RETRY_AFTER, &retry_after.to_string());
        }
        ApiError::Unavailable { .. } => set(headers, header::RETRY_AFTER, UNAVAILABLE_RETRY_SECONDS),
        ApiError::Busy(_) => set(headers, header::RETRY_AFTER, BUSY_RETRY_SECONDS),
        ApiError::Unauthorized(_) | ApiError::SecondFactorRequired { .. } => {
            set(headers, header::WWW_AUTHENTICATE, "Bearer");
        }
        ApiError::TextAlone(error) => error_headers(error, headers),
        _ => {}
    }
}

/// Adds request headers (a comma-separated list) to `Vary`, all on one line, because some caches read only
/// one.
pub fn vary_by(headers: &mut HeaderMap, names: &str) {
    let known = headers.get(header::VARY).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let all = if known.is_empty() { names.to_owned() } else { format!("{known}, {names}") };
    set(headers, header::VARY, &all);
}

/// Sets a header from text made by the service. Text that is not a valid header value is left out.
pub(crate) fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}

/// Adds `Cache-Control: public` and a strong `ETag` of the body. A redirect has no body and gets no tag.
pub fn cacheable(mut response: Response) -> Response {
    if !response.status().is_redirection() {
        let ResponseBody::Full(body) = response.body() else { return response };
        let tag = etag(body);
        set(response.headers_mut(), header::ETAG, &tag);
    }
    response.headers_mut().insert(header::CACHE_CONTROL, CACHE_PUBLIC);
    response
}

/// Like [`cacheable`], for at most this many seconds.
pub fn cacheable_for(response: Response, seconds: u32) -> Response {
    let mut response = cacheable(response);
    if seconds < CACHE_SECONDS {
        set(
            response.headers_mut(),
            header::CACHE_CONTROL,
            &format!("public, max-age={seconds}, must-revalidate"),
        );
    }
    response
}

/// Replaces a response by a 304 if the client's `If-None-Match` lists its `ETag`.
pub fn conditional(mut response: Response, if_none_match: Option<&str>) -> Response {
    let tag = response.headers().get(header::ETAG).and_then(|tag| tag.to_str().ok());
    if tag.is_some_and(|tag| if_none_match.is_some_and(|listed| etag_matches(listed, tag))) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = ResponseBody::Full(Bytes::new());
        response.headers_mut().remove(header::CONTENT_TYPE);
    }
    response
}

/// A strong entity tag: a 64-bit hash of the body, in hex and quotes. It only has to differ between
/// successive answers of one URL, so a cryptographic digest is not needed; computing one took a twentieth of
/// the time of a check.
pub fn etag(body: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(body);
    let mut tag = String::with_capacity(18);
    tag.push('"');
    push_hex(&mut tag, &hasher.finish().to_be_bytes());
    tag.push('"');
    tag
}

/// Appends bytes in lower-case hex, in a tenth of the time that formatting would take.
pub fn push_hex(text: &mut String, bytes: &[u8]) {
    let digit = |value: u8| char::from(if value < 10 { b'0' + value } else { b'a' - 10 + value });
    text.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
}

/// Whether an `If-None-Match` header lists `etag`, by weak comparison; `*` matches every tag.
/// See [RFC 9110 §13.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2).
fn etag_matches(if_none_match: &str, etag: &str) -> bool {
    if_none_match.trim() == "*"
        || if_none_match.split(',').any(|tag| tag.trim().strip_prefix("W/").unwrap_or(tag.trim()) == etag)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileProblem;

    #[test]
    fn if_none_match() {
        let tag = etag(b"x");
        assert_eq!(tag.len(), 18);
        assert_ne!(tag, etag(b"y"));
        for (header, matches) in [
            ("*", true),
            (tag.as_str(), true),
            (&format!("\"other\", W/{tag}"), true),
            ("\"other\"", false),
            ("", false),
        ] {
            assert_eq!(etag_matches(header, &tag), matches, "{header}");
        }
    }

    #[test]
    fn vary_is_one_line() {
        let mut headers = HeaderMap::new();
        vary_by(&mut headers, "X-Device-ID");
        vary_by(&mut headers, "Origin");
        let lines: Vec<_> = headers.get_all(header::VARY).iter().collect();
        assert_eq!(lines, ["X-Device-ID, Origin"]);
    }

    fn shown(error: &ApiError) -> (u16, String) {
        let response = super::error(error, "id-1");
        let ResponseBody::Full(body) = response.body() else { panic!("a full body") };
        (response.status().as_u16(), String::from_utf8(body.to_vec()).unwrap())
    }

    #[test]
    fn errors_on_the_wire() {
        let files = vec!["a, b".to_owned(), "c".to_owned()];
        let limited = || ApiError::TooManyRequests { retry_after: 7 };
        for (error, status, body) in [
            (ApiError::bad_request("b"), 400, r#"{"error":"b","code":"bad_request"}"#),
            (ApiError::missing("key"), 400, r#"{"error":"missing key","code":"missing_field"}"#),
            (
                ApiError::UnfitFiles { problem: FileProblem::Missing, files },
                422,
                r#"{"error":"missing files: a, b, c","code":"files_missing","files":["a, b","c"]}"#,
            ),
            (
                ApiError::Internal { internal: "secret".into() },
                500,
                r#"{"error":"internal error","code":"internal","request_id":"id-1"}"#,
            ),
            (limited(), 429, r#"{"error":"rate limit exceeded","code":"rate_limited"}"#),
            (ApiError::TextAlone(Box::new(limited())), 429, r#"{"error":"rate limit exceeded"}"#),
            (
                ApiError::TextAlone(Box::new(ApiError::Internal { internal: "secret".into() })),
                500,
                r#"{"error":"internal error"}"#,
            ),
        ] {
            assert_eq!(shown(&error), (status, body.to_owned()));
        }
        let headers = super::error(&ApiError::TextAlone(Box::new(limited())), "id-1").headers().clone();
        assert_eq!(headers[header::RETRY_AFTER], "7");
        assert_eq!(headers[header::CACHE_CONTROL], "no-store");
    }
}
