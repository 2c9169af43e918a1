//! A request, as handlers see it.

use std::cell::OnceCell;
use std::pin::Pin;
use std::rc::Rc;

use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, header};
use serde::de::DeserializeOwned;

use crate::{ApiError, Query, RequestContext, parse_json};

/// A body that arrives in chunks. Not `Send`: a component runs on one thread.
pub type ByteStream = Pin<Box<dyn Stream<Item = std::io::Result<Bytes>>>>;

/// Returns the values of a header by its lower-case name, in the order sent.
pub type HeaderLookup = Box<dyn Fn(&str) -> Vec<HeaderValue>>;

/// An incoming request. Its body is read only on demand and never beyond a limit. Its headers are also read
/// on demand: copying all of them costs more than copying the few that are used.
pub struct Request {
    method: Method,
    /// Path and query, as sent.
    target: String,
    lookup: HeaderLookup,
    seen: HeaderCache,
    context: Rc<RequestContext>,
    body: ByteStream,
}

/// The headers looked up so far, as a list that only grows, so that values can be borrowed from it.
#[derive(Default)]
struct HeaderCache(OnceCell<Box<CachedHeader>>);

struct CachedHeader {
    name: String,
    value: Option<HeaderValue>,
    next: HeaderCache,
}

impl Request {
    /// From the head, whose URI must have a path, and the body.
    pub fn new(parts: Parts, body: ByteStream) -> Self {
        let target = parts.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
        let headers = parts.headers;
        Self::with_lookup(parts.method, target, Box::new(move |name| header_values(&headers, name)), body)
    }

    /// From path and query, with headers that are read on demand.
    pub fn with_lookup(method: Method, target: String, lookup: HeaderLookup, body: ByteStream) -> Self {
        Self { method, target, lookup, seen: HeaderCache::default(), context: Rc::default(), body }
    }

    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Path and query, as sent.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// The path, as sent (percent-encoded).
    pub fn path(&self) -> &str {
        self.target.split_once('?').map_or(&*self.target, |(path, _)| path)
    }

    /// Facts learned while the request is answered.
    pub const fn context(&self) -> &Rc<RequestContext> {
        &self.context
    }

    /// The decoded query. A query that is not valid UTF-8 after decoding is a 400.
    pub fn query(&self) -> Result<Query, ApiError> {
        Query::parse(self.target.split_once('?').map_or("", |(_, query)| query))
    }

    /// The first value of a header, if it is present and visible ASCII. `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut seen = &self.seen;
        loop {
            let header = seen.0.get_or_init(|| {
                Box::new(CachedHeader {
                    name: name.to_owned(),
                    value: (self.lookup)(name).into_iter().next(),
                    next: HeaderCache::default(),
                })
            });
            if header.name == name {
                return header.value.as_ref().and_then(|value| value.to_str().ok());
            }
            seen = &header.next;
        }
    }

    /// All values of a header, in the order sent. `name` is in lower case.
    pub fn header_values(&self, name: &str) -> Vec<HeaderValue> {
        (self.lookup)(name)
    }

    /// The media type of the body without parameters, lower case.
    pub fn media_type(&self) -> Option<String> {
        let value = self.header(header::CONTENT_TYPE.as_str())?;
        Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }

    /// The body as a stream.
    pub fn into_stream(self) -> ByteStream {
        self.body
    }

    /// The whole body. A body of more than `limit` bytes is a 413 as soon as that is clear, and the rest is
    /// not read.
    pub async fn read_body(&mut self, limit: usize) -> Result<Bytes, ApiError> {
        refuse_declared_length(self.header(header::CONTENT_LENGTH.as_str()), limit)?;
        let mut whole = BytesMut::new();
        while let Some(chunk) = self.body.next().await {
            let chunk = chunk.map_err(|error| {
                ApiError::bad_request(format!("the body could not be read: {}", error.kind()))
            })?;
            if whole.len() + chunk.len() > limit {
                return Err(too_large(limit));
            }
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }

    /// The body as JSON of at most `limit` bytes; see [`parse_json`]. A different content type is a 415.
    pub async fn read_json<T: DeserializeOwned>(&mut self, limit: usize) -> Result<T, ApiError> {
        if self.media_type().is_some_and(|media| media != "application/json") {
            return Err(ApiError::UnsupportedMediaType("application/json"));
        }
        let body = self.read_body(limit).await?;
        parse_json(&body)
    }
}

pub fn header_values(headers: &HeaderMap, name: &str) -> Vec<HeaderValue> {
    headers.get_all(name).iter().cloned().collect()
}

/// 413 if the declared length is over `limit`. Without a declared length, the body has to be counted.
pub(crate) fn refuse_declared_length(content_length: Option<&str>, limit: usize) -> Result<(), ApiError> {
    match content_length.map(str::parse::<u64>) {
        Some(Ok(length)) if usize::try_from(length).map_or(true, |length| length > limit) => {
            Err(too_large(limit))
        }
        _ => Ok(()),
    }
}

/// The 413 error with the limit in its text.
pub(crate) fn too_large(limit: usize) -> ApiError {
    ApiError::TooLarge(format!("the body is larger than {limit} bytes").into())
}
