//! Reading objects.
//!
//! `s3s` supports only part of HTTP here: it refuses several ranges, lists of tags and unusual dates, and
//! ignores `If-Range`. So these requests have a route of their own, which `s3s` calls once it has checked the
//! signature.

use http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use percent_encoding::percent_decode_str;
use s3s::dto::StreamingBlob;
use s3s::path::parse_path_style;
use s3s::route::S3Route;
use s3s::{Body, S3Error, S3Request, S3Response, S3Result, s3_error};

use super::Objects;
use super::headers::headers_of;
use super::pieces::{Piece, content_range, parts, stream};
use crate::storage::access::Access;
use crate::storage::conditions::{ConditionOutcome, FileVersion};
use crate::storage::index::Object;
use crate::storage::random::random_id;
use crate::storage::ranges::{RequestedRange, requested_range};

/// Maximum number of retries if the object is replaced between reading the index and opening the file.
const ATTEMPTS: usize = 10;

/// Parameters of requests for something other than the object.
const OTHER_SUBJECTS: [&str; 7] =
    ["acl", "attributes", "legal-hold", "retention", "tagging", "torrent", "uploadId"];

/// Headers that describe bytes which the client already has.
const CONTENT_HEADERS: [HeaderName; 4] =
    [header::CONTENT_TYPE, header::CONTENT_ENCODING, header::CONTENT_DISPOSITION, header::CONTENT_LANGUAGE];

/// The type of an error, as `s3s` writes it.
const XML: HeaderValue = HeaderValue::from_static("application/xml");

/// `GetObject` and `HeadObject`.
pub(in crate::storage) struct ReadRoute {
    pub(in crate::storage) objects: Objects,
    pub(in crate::storage) access: Access,
}

/// The object that a request reads.
#[derive(Debug, Clone)]
struct RequestedObject {
    bucket: String,
    key: String,
}

impl RequestedObject {
    /// `None` if the request does something else.
    fn of(method: &Method, uri: &Uri) -> Option<Self> {
        let query = uri.query().unwrap_or_default();
        let mut parameters = url::form_urlencoded::parse(query.as_bytes());
        let reads = match *method {
            Method::HEAD => true,
            Method::GET => !parameters.any(|(name, _)| OTHER_SUBJECTS.contains(&name.as_ref())),
            _ => false,
        };
        let path = percent_decode_str(uri.path()).decode_utf8().ok().filter(|_| reads)?;
        let path = parse_path_style(&path).ok()?;
        path.as_object().map(|(bucket, key)| Self { bucket: bucket.to_owned(), key: key.to_owned() })
    }

    /// The target that [`ReadRoute::is_match`] has found.
    fn from_extensions(extensions: &Extensions) -> S3Result<&Self> {
        extensions.get().ok_or_else(|| s3_error!(InternalError))
    }
}

#[async_trait::async_trait]
impl S3Route for ReadRoute {
    fn is_match(&self, method: &Method, uri: &Uri, _: &HeaderMap, extensions: &mut Extensions) -> bool {
        let Some(target) = RequestedObject::of(method, uri) else { return false };
        extensions.insert(target);
        true
    }

    async fn check_access(&self, request: &mut S3Request<Body>) -> S3Result<()> {
        let target = RequestedObject::from_extensions(&request.extensions)?;
        let query = request.uri.query().unwrap_or_default();
        self.access.check(request.credentials.is_some(), &target.bucket, query)
    }

    async fn call(&self, request: S3Request<Body>) -> S3Result<S3Response<Body>> {
        let RequestedObject { bucket, key } = RequestedObject::from_extensions(&request.extensions)?;
        // In HTTP, only GET has ranges and bodies.
        let is_head = request.method == Method::HEAD;
        let (entry, file) = if is_head {
            (self.objects.index.object(bucket, key)?, None)
        } else {
            let (entry, file) = self.objects.open_object(bucket, key).await?;
            (entry, Some(file))
        };
        let mut headers = headers_of(&entry, request.uri.query().unwrap_or_default())?;
        let version = FileVersion { etag: &entry.etag, modified: entry.modified };
        match version.check(&request.headers) {
            ConditionOutcome::Answer => {}
            ConditionOutcome::Failed => return Err(s3_error!(PreconditionFailed)),
            ConditionOutcome::NotModified => {
                for name in CONTENT_HEADERS {
                    headers.remove(name);
                }
                return Ok(response(StatusCode::NOT_MODIFIED, headers, Body::empty()));
            }
        }
        let takes_ranges = !is_head && version.takes_ranges(&request.headers);
        let wanted =
            if takes_ranges { requested_range(&request.headers, entry.size) } else { RequestedRange::Whole };
        let (status, pieces) = pieces_of(wanted, entry.size, &mut headers)?;
        headers.insert(header::CONTENT_LENGTH, pieces.iter().map(Piece::length).sum::<u64>().into());
        let body = file.map_or_else(Body::empty, |file| StreamingBlob::wrap(stream(file, pieces)).into());
        Ok(response(status, headers, body))
    }
}

impl Objects {
    /// The object and its open file. An open file stays readable if the object is replaced or removed.
    async fn open_object(&self, bucket: &str, key: &str) -> S3Result<(Object, tokio::fs::File)> {
        let mut attempt = 0;
        loop {
            let entry = self.index.object(bucket, key)?;
            match tokio::fs::File::open(self.blobs.path(&entry.blob)).await {
                Ok(file) => return Ok((entry, file)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && attempt < ATTEMPTS => {
                    attempt += 1;
                }
                Err(error) => return Err(S3Error::internal_error(error)),
            }
        }
    }
}

/// The status and the body. Sets the `headers` that describe them.
fn pieces_of(
    wanted: RequestedRange,
    size: u64,
    headers: &mut HeaderMap,
) -> S3Result<(StatusCode, Vec<Piece>)> {
    let value = |text: String| HeaderValue::try_from(text).map_err(S3Error::internal_error);
    match wanted {
        RequestedRange::Whole => Ok((StatusCode::OK, vec![Piece::File(0..size)])),
        RequestedRange::Part(range) => {
            headers.insert(header::CONTENT_RANGE, value(content_range(&range, size))?);
            Ok((StatusCode::PARTIAL_CONTENT, vec![Piece::File(range)]))
        }
        RequestedRange::Parts(ranges) => {
            let boundary = random_id()?;
            let content_type = value(format!("multipart/byteranges; boundary={boundary}"))?;
            let of_file = headers.insert(header::CONTENT_TYPE, content_type);
            Ok((StatusCode::PARTIAL_CONTENT, parts(ranges, size, of_file.as_ref(), &boundary)))
        }
        RequestedRange::Nothing => {
            let mut error = s3_error!(InvalidRange, "No byte of the file is in the range.");
            let length = value(format!("bytes */{size}"))?;
            error.set_headers(HeaderMap::from_iter([
                (header::CONTENT_TYPE, XML),
                (header::CONTENT_RANGE, length),
            ]));
            Err(error)
        }
    }
}

fn response(status: StatusCode, headers: HeaderMap, body: Body) -> S3Response<Body> {
    let mut response = S3Response::with_headers(body, headers);
    response.status = Some(status);
    response
}
