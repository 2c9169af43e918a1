//! The headers of an answer that contains an object.

use std::time::{Duration, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use s3s::dto::{Timestamp, TimestampFormat};
use s3s::{S3Error, S3Result, s3_error};

use crate::storage::index::Object;

/// Parameters with which a signed link chooses headers of the answer.
const HEADER_PARAMETERS: [(&str, HeaderName); 6] = [
    ("response-content-type", header::CONTENT_TYPE),
    ("response-content-encoding", header::CONTENT_ENCODING),
    ("response-content-disposition", header::CONTENT_DISPOSITION),
    ("response-content-language", header::CONTENT_LANGUAGE),
    ("response-cache-control", header::CACHE_CONTROL),
    ("response-expires", header::EXPIRES),
];

/// The headers that describe an object, with the choices made in the link.
pub(super) fn headers_of(object: &Object, query: &str) -> S3Result<HeaderMap> {
    let kept = &object.attributes;
    let modified = UNIX_EPOCH + Duration::from_millis(object.modified.try_into().unwrap_or(0));
    let expires = kept.expires.as_ref().map(http_date).transpose()?;
    let mut headers = HeaderMap::new();
    for (name, value) in [
        (header::ACCEPT_RANGES, Some("bytes".to_owned())),
        (header::ETAG, Some(format!("\"{}\"", object.etag))),
        (header::LAST_MODIFIED, Some(httpdate::fmt_http_date(modified))),
        (header::CONTENT_TYPE, kept.content_type.clone()),
        (header::CONTENT_ENCODING, kept.content_encoding.clone()),
        (header::CONTENT_DISPOSITION, kept.content_disposition.clone()),
        (header::CONTENT_LANGUAGE, kept.content_language.clone()),
        (header::CACHE_CONTROL, kept.cache_control.clone()),
        (header::EXPIRES, expires),
    ] {
        if let Some(value) = value {
            headers.insert(name, HeaderValue::try_from(value).map_err(S3Error::internal_error)?);
        }
    }
    for (name, value) in kept.metadata.iter().flatten() {
        let name = HeaderName::try_from(format!("x-amz-meta-{name}")).map_err(S3Error::internal_error)?;
        headers.insert(name, HeaderValue::try_from(ascii(value)).map_err(S3Error::internal_error)?);
    }
    for (parameter, value) in url::form_urlencoded::parse(query.as_bytes()) {
        if let Some((_, name)) = HEADER_PARAMETERS.iter().find(|(known, _)| *known == parameter) {
            let value = HeaderValue::try_from(value.as_ref());
            let value =
                value.map_err(|error| s3_error!(error, InvalidArgument, "`{parameter}` is not a header."))?;
            headers.insert(name.clone(), value);
        }
    }
    Ok(headers)
}

/// A text of metadata in the form that S3 sends: as in [RFC 2047](https://www.rfc-editor.org/rfc/rfc2047) if
/// it is not plain ASCII.
fn ascii(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        text.to_owned()
    } else {
        format!("=?UTF-8?B?{}?=", BASE64_STANDARD.encode(text))
    }
}

fn http_date(time: &Timestamp) -> S3Result<String> {
    let mut text = Vec::new();
    time.format(TimestampFormat::HttpDate, &mut text).map_err(S3Error::internal_error)?;
    String::from_utf8(text).map_err(S3Error::internal_error)
}
