//! Requests for whole objects.

use bytes::Bytes;
use rusty_s3::Method;

use crate::content_md5::{content_md5, digest};
use crate::draft::Draft;
use spindrift_core::ContentHeaders;

use crate::{Location, StorageConfig};

/// Options for writing an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PutOptions {
    /// Sent when the object is read. `None`: the storage chooses one.
    pub content_type: Option<String>,
    /// Sent when the object is read.
    pub cache_control: Option<String>,
    /// MD5 of the body, if it is already known; otherwise it is computed. The storage refuses other bytes.
    pub md5: Option<[u8; 16]>,
}

pub(crate) const fn head(at: &Location) -> Draft<'_> {
    Draft::object(Method::Head, at)
}

pub(crate) const fn get(at: &Location) -> Draft<'_> {
    Draft::object(Method::Get, at)
}

pub(crate) const fn delete(at: &Location) -> Draft<'_> {
    Draft::object(Method::Delete, at)
}

pub(crate) fn put(at: &Location, body: Bytes, options: PutOptions) -> Draft<'_> {
    Draft::object(Method::Put, at)
        .header("content-md5", Some(content_md5(&options.md5.unwrap_or_else(|| digest(&body)))))
        .header("content-type", options.content_type)
        .header("cache-control", options.cache_control)
        .body(body)
}

/// The bucket and percent-encoded key of the source go into a header, which AWS requires to be signed. The
/// source's own headers are not copied. With `if_match`, a bare tag, only an object with that tag is copied.
pub(crate) fn copy<'a>(
    config: &StorageConfig,
    from: &Location,
    to: &'a Location,
    headers: ContentHeaders,
    if_match: Option<&str>,
) -> Draft<'a> {
    let source = format!("/{}/{}", config.bucket_name(from.bucket), from.key.percent_encoded());
    Draft::object(Method::Put, to)
        .header("x-amz-copy-source", Some(source))
        .header("x-amz-copy-source-if-match", if_match.map(|etag| format!("\"{etag}\"")))
        .header("x-amz-metadata-directive", Some("REPLACE".to_owned()))
        .header("content-type", Some(headers.content_type.to_owned()))
        .header("content-disposition", Some(headers.content_disposition.to_owned()))
}

#[cfg(test)]
mod tests {
    const HEADERS: super::ContentHeaders =
        super::ContentHeaders { content_type: "application/zip", content_disposition: "attachment" };
    use bytes::Bytes;
    use spindrift_core::Timestamp;

    use super::{PutOptions, copy, put};
    use crate::config::tests::config;
    use crate::{BucketKind, Location, ObjectKey, StorageError};

    const NOW: Timestamp = Timestamp::from_millis(1_369_353_600_000);

    fn at(bucket: BucketKind, key: &str) -> Location {
        Location::new(bucket, ObjectKey::new(key).unwrap())
    }

    #[test]
    fn a_put_names_digest_and_type() {
        let options = PutOptions {
            content_type: Some("text/plain".to_owned()),
            cache_control: Some("no-cache".to_owned()),
            md5: None,
        };
        let to = at(BucketKind::Public, "a/b c.txt");
        let request =
            put(&to, Bytes::from_static(b"hello"), options).into_request(&config(&[]).unwrap(), NOW).unwrap();
        assert_eq!(request.method(), "PUT");
        let uri = request.uri().to_string();
        assert_eq!(uri, "http://storage.internal:9000/pub-bucket/a/b%20c.txt");
        let authorization = request.headers()["authorization"].to_str().unwrap();
        assert!(
            authorization.contains(
                " SignedHeaders=cache-control;content-md5;content-type;host;x-amz-content-sha256;x-amz-date, "
            ),
            "{authorization}"
        );
        assert_eq!(request.headers()["content-md5"], "XUFAKrxLKna5cZ2REBfFkg==");
        assert_eq!(request.headers()["content-type"], "text/plain");
        assert_eq!(request.body(), "hello");
    }

    #[test]
    fn a_copy_names_its_source_in_a_signed_header() {
        let (from, to) = (at(BucketKind::Private, "pending/1/a +é.zip"), at(BucketKind::Public, "a.zip"));
        let config = config(&[]).unwrap();
        let request = copy(&config, &from, &to, HEADERS, None).into_request(&config, NOW).unwrap();
        assert_eq!(request.headers()["x-amz-copy-source"], "/priv-bucket/pending/1/a%20%2B%C3%A9.zip");
        let signed = "SignedHeaders=content-disposition;content-type;host;x-amz-content-sha256;x-amz-copy-source;x-amz-date;\
                      x-amz-metadata-directive,";
        assert!(request.headers()["authorization"].to_str().unwrap().contains(signed));
        assert_eq!(request.headers()["content-type"], "application/zip");
        assert!(request.body().is_empty());
    }

    #[test]
    fn a_header_cannot_be_smuggled_in() {
        let options = PutOptions { content_type: Some("a\r\nx: y".to_owned()), ..PutOptions::default() };
        let to = at(BucketKind::Public, "a");
        let error = put(&to, Bytes::new(), options).into_request(&config(&[]).unwrap(), NOW).unwrap_err();
        assert_eq!(error, StorageError::Malformed("a header of the request"));
    }
}
