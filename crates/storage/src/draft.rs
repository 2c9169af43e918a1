//! Requests before and after signing.
//!
//! `rusty-s3` has a type for each request (an action), but none for copying an object or listing open
//! uploads, and its listing requests `encoding-type=url`, which storages implement differently. So all
//! requests are drafts of one type: the signed headers and the sent headers are the same list, which
//! presigned uploads depend on. `rusty-s3` signs URLs for others; the service's own requests are signed in a
//! header (`authorize.rs`).

use std::time::Duration;

use bytes::Bytes;
use rusty_s3::signing::sign;
use rusty_s3::{Bucket, Map, Method};
use spindrift_core::Timestamp;
use url::Url;

use crate::authorize::{Signer, UNSIGNED, UnsignedRequest};
use crate::{BucketKind, Location, ObjectKey, StorageConfig, StorageError};

/// A request that is not signed yet. All its headers get signed.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    method: Method,
    bucket: BucketKind,
    key: Option<&'a ObjectKey>,
    query: Map<'a>,
    headers: Map<'a>,
    body: Bytes,
}

impl<'a> Draft<'a> {
    /// A request for one object.
    pub(crate) const fn object(method: Method, at: &'a Location) -> Self {
        Self {
            method,
            bucket: at.bucket,
            key: Some(&at.key),
            query: Map::new(),
            headers: Map::new(),
            body: Bytes::new(),
        }
    }

    /// A request for a whole bucket.
    pub(crate) const fn bucket(method: Method, bucket: BucketKind) -> Self {
        Self { method, bucket, key: None, query: Map::new(), headers: Map::new(), body: Bytes::new() }
    }

    /// Adds a query parameter.
    pub(crate) fn query(mut self, name: &'static str, value: impl Into<std::borrow::Cow<'a, str>>) -> Self {
        self.query.insert(name, value);
        self
    }

    /// Adds a header, if it has a value; `name` is in lower case.
    pub(crate) fn header(mut self, name: &'static str, value: Option<String>) -> Self {
        if let Some(value) = value {
            self.headers.insert(name, value);
        }
        self
    }

    /// Sets the body.
    pub(crate) fn body(mut self, body: Bytes) -> Self {
        self.body = body;
        self
    }

    /// The presigned URL for outside callers, at the presign endpoint. `ttl` counts whole seconds. See
    /// [`sign`]. The maps keep headers and query sorted, as the signature requires.
    pub(crate) fn presigned(
        &self,
        config: &StorageConfig,
        ttl: Duration,
        now: Timestamp,
    ) -> Result<Url, StorageError> {
        let bucket = config.presign_bucket(self.bucket)?;
        let (access_key, secret_key) = config.keys()?;
        Ok(sign(
            &date(now)?,
            self.method,
            self.url(bucket),
            access_key,
            secret_key.expose(),
            None,
            bucket.region(),
            ttl.as_secs(),
            self.query.iter(),
            self.headers.iter(),
        ))
    }

    /// The signed request of the service itself, at the api endpoint.
    pub(crate) fn into_request(
        self,
        config: &StorageConfig,
        now: Timestamp,
    ) -> Result<http::Request<Bytes>, StorageError> {
        let bucket = config.api_bucket(self.bucket);
        let (access_key, secret_key) = config.keys()?;
        let signer = Signer { access_key, secret_key, region: bucket.region(), now: date(now)? };
        let signed = signer.sign(UnsignedRequest {
            method: self.method.to_str(),
            url: self.url(bucket),
            query: self.query.iter().collect(),
            headers: self.headers.iter().collect(),
            payload: UNSIGNED,
        })?;
        let mut request = http::Request::builder().method(self.method.to_str()).uri(signed.url.as_str());
        for (name, value) in self.headers.iter() {
            request = request.header(name, value);
        }
        for (name, value) in &signed.headers {
            request = request.header(*name, value);
        }
        request.body(self.body).map_err(|_| StorageError::Malformed("a header of the request"))
    }

    fn url(&self, bucket: &Bucket) -> Url {
        self.key.map_or_else(|| bucket.base_url().clone(), |key| bucket.object_url(key.as_str()))
    }
}

fn date(now: Timestamp) -> Result<jiff::Timestamp, StorageError> {
    jiff::Timestamp::from_millisecond(now.as_millis())
        .map_err(|_| StorageError::Malformed("the current time"))
}
