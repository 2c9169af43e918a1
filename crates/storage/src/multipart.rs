//! Multipart uploads, for objects whose size is not known before they are sent.

use bytes::Bytes;
use http::HeaderMap;
use http::header::ETAG;
use rusty_s3::Method;
use serde::{Deserialize, Serialize};

use crate::content_md5::{content_md5, digest};
use crate::draft::Draft;
use crate::meta::bare_etag;
use crate::{Location, PutOptions, StorageError, answer};

/// Minimum size of every part except the last, in bytes: 5 MiB (a limit of S3).
pub const MIN_PART_SIZE: usize = 5 * 1024 * 1024;

/// Maximum number of parts of an object (a limit of S3).
pub const MAX_PARTS: u16 = 10_000;

/// Number of a part: 1 to [`MAX_PARTS`]. Parts are joined in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartNumber(u16);

impl PartNumber {
    /// The number of the first part.
    pub const FIRST: Self = Self(1);

    /// `None` if `number` is not from 1 to [`MAX_PARTS`].
    pub const fn new(number: u16) -> Option<Self> {
        if number >= 1 && number <= MAX_PARTS { Some(Self(number)) } else { None }
    }

    /// The number of the next part; `None` after [`MAX_PARTS`].
    pub const fn next(self) -> Option<Self> {
        Self::new(self.0 + 1)
    }

    /// The number as an integer.
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// The storage's id of a multipart upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadId(String);

impl UploadId {
    /// From a text returned by [`Self::as_str`].
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// The id as text, for storing it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A multipart upload under way.
#[derive(Debug, Clone, Copy)]
pub struct Multipart<'a> {
    /// The object that it creates.
    pub at: &'a Location,
    pub upload: &'a UploadId,
}

/// A part that was uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadedPart {
    pub number: PartNumber,
    /// The part's tag, without quotes.
    pub etag: String,
}

/// Begins a multipart upload. The MD5 in `options` is ignored.
pub(crate) fn create(at: &Location, options: PutOptions) -> Draft<'_> {
    Draft::object(Method::Post, at)
        .query("uploads", "")
        .header("content-type", options.content_type)
        .header("cache-control", options.cache_control)
}

pub(crate) fn created(body: &[u8]) -> Result<UploadId, StorageError> {
    #[derive(Deserialize)]
    struct Document {
        #[serde(rename = "UploadId")]
        id: String,
    }
    let document: Document = answer::document(body, "InitiateMultipartUploadResult")?;
    Ok(UploadId(document.id))
}

pub(crate) fn part<'a>(at: &'a Location, upload: &'a UploadId, number: PartNumber, body: Bytes) -> Draft<'a> {
    let md5 = content_md5(&digest(&body));
    part_draft(at, upload, number).header("content-md5", Some(md5)).body(body)
}

/// The request for a part without its content.
pub(crate) fn part_draft<'a>(at: &'a Location, upload: &'a UploadId, number: PartNumber) -> Draft<'a> {
    Draft::object(Method::Put, at)
        .query("partNumber", number.0.to_string())
        .query("uploadId", upload.as_str())
}

pub(crate) fn uploaded(number: PartNumber, headers: &HeaderMap) -> Result<UploadedPart, StorageError> {
    let etag = headers.get(ETAG).and_then(|value| value.to_str().ok());
    let etag = etag.ok_or(StorageError::Malformed("the etag of an uploaded part"))?;
    Ok(UploadedPart { number, etag: bare_etag(etag).to_owned() })
}

pub(crate) fn complete<'a>(
    at: &'a Location,
    upload: &'a UploadId,
    parts: &[UploadedPart],
) -> Result<Draft<'a>, StorageError> {
    #[derive(Serialize)]
    #[serde(rename = "CompleteMultipartUpload")]
    struct Document {
        #[serde(rename = "Part")]
        parts: Vec<Part>,
    }
    #[derive(Serialize)]
    struct Part {
        #[serde(rename = "PartNumber")]
        number: u16,
        #[serde(rename = "ETag")]
        etag: String,
    }
    let mut parts: Vec<_> =
        parts.iter().map(|part| Part { number: part.number.0, etag: format!("\"{}\"", part.etag) }).collect();
    parts.sort_by_key(|part| part.number);
    let body = quick_xml::se::to_string(&Document { parts })
        .map_err(|_| StorageError::Malformed("CompleteMultipartUpload"))?;
    Ok(Draft::object(Method::Post, at)
        .query("uploadId", upload.as_str())
        .header("content-type", Some("application/xml".to_owned()))
        .body(Bytes::from(body)))
}

/// The tag of the completed object, without quotes.
pub(crate) fn completed(body: &[u8]) -> Result<String, StorageError> {
    #[derive(Deserialize)]
    struct Document {
        #[serde(rename = "ETag", default)]
        etag: String,
    }
    let document: Document = answer::document(body, "CompleteMultipartUploadResult")?;
    Ok(bare_etag(&document.etag).to_owned())
}

pub(crate) fn abort<'a>(at: &'a Location, upload: &'a UploadId) -> Draft<'a> {
    Draft::object(Method::Delete, at).query("uploadId", upload.as_str())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use spindrift_core::Timestamp;

    use super::{MAX_PARTS, PartNumber, UploadId, UploadedPart, complete, completed, create, created, part};
    use crate::config::tests::config;
    use crate::draft::Draft;
    use crate::{BucketKind, Location, ObjectKey, PutOptions, StorageError};

    fn at() -> Location {
        Location::new(BucketKind::Private, ObjectKey::new("a").unwrap())
    }

    fn request(draft: Draft<'_>) -> http::Request<Bytes> {
        draft.into_request(&config(&[]).unwrap(), Timestamp::from_millis(0)).unwrap()
    }

    #[test]
    fn numbers_stay_in_their_range() {
        assert_eq!(PartNumber::new(0), None);
        assert_eq!(PartNumber::new(MAX_PARTS).unwrap().next(), None);
        assert_eq!(PartNumber::FIRST.next().map(PartNumber::get), Some(2));
    }

    #[test]
    fn begins_an_upload() {
        let uri = request(create(&at(), PutOptions::default())).uri().to_string();
        assert!(uri.ends_with("/a?uploads="), "{uri}");
        let body = b"<InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">\
                     <Bucket>b</Bucket><Key>a</Key><UploadId>u-1</UploadId></InitiateMultipartUploadResult>";
        assert_eq!(created(body).unwrap().as_str(), "u-1");
    }

    #[test]
    fn sends_a_part_with_its_digest() {
        let (at, id) = (at(), UploadId::new("u/1"));
        let request = request(part(&at, &id, PartNumber::FIRST, Bytes::from_static(b"hello")));
        assert_eq!(request.uri().query(), Some("partNumber=1&uploadId=u%2F1"));
        assert_eq!(request.headers()["content-md5"], "XUFAKrxLKna5cZ2REBfFkg==");
    }

    #[test]
    fn completes_with_parts_in_ascending_order() {
        let (at, id) = (at(), UploadId::new("u"));
        let uploaded = |number, etag: &str| UploadedPart {
            number: PartNumber::new(number).unwrap(),
            etag: etag.to_owned(),
        };
        let request = request(complete(&at, &id, &[uploaded(2, "b<"), uploaded(1, "a")]).unwrap());
        assert_eq!(
            request.body(),
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"a\"</ETag></Part>\
             <Part><PartNumber>2</PartNumber><ETag>\"b&lt;\"</ETag></Part></CompleteMultipartUpload>"
        );
    }

    #[test]
    fn completion_may_fail_after_its_status() {
        let good = b"<CompleteMultipartUploadResult><ETag>\"00-2\"</ETag></CompleteMultipartUploadResult>";
        assert_eq!(completed(good).unwrap(), "00-2");
        let error = completed(b"<Error><Code>InternalError</Code></Error>").unwrap_err();
        assert!(matches!(error, StorageError::Answered { status: 200, .. }));
    }
}
