//! URLs that allow outside callers to read or write one object.

use std::time::Duration;

use rusty_s3::Method;
use spindrift_core::Timestamp;

use crate::content_md5::content_md5;
use crate::draft::Draft;
use crate::{Location, Multipart, PartNumber, StorageConfig, StorageError, multipart};

/// Maximum validity of a presigned URL (AWS Signature Version 4).
pub const MAX_PRESIGN_TTL: Duration = Duration::from_hours(7 * 24);

/// Minimum validity of a presigned URL.
const MIN_PRESIGN_TTL: Duration = Duration::from_secs(1);

/// The content that a presigned upload accepts: the storage refuses other bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PutTerms {
    /// MD5 of the content.
    pub md5: [u8; 16],
    /// Length of the content in bytes, if the uploader declared it.
    pub length: Option<u64>,
}

/// A presigned upload. Anyone who has it can write the object until it expires: never log it.
#[derive(Clone, PartialEq, Eq)]
pub struct PresignedPut {
    /// URL to which the content is sent with `PUT`.
    pub url: String,
    /// Headers to send unchanged: `Content-Md5` (base64) and, if declared, `Content-Length`.
    pub headers: Vec<(String, String)>,
}

impl std::fmt::Debug for PresignedPut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PresignedPut").field("url", &"[redacted]").field("headers", &self.headers).finish()
    }
}

impl StorageConfig {
    /// Presigns a `PUT` of the object at `at` under `terms`. The URL is valid for `ttl` from `now`, in whole
    /// seconds; values outside 1 second to [`MAX_PRESIGN_TTL`] are moved to the nearest bound.
    ///
    /// Fails with [`StorageError::PresignUnsupported`] if outside callers cannot reach the storage, and with
    /// [`StorageError::NotConfigured`] without keys.
    pub fn presign_put(
        &self,
        at: &Location,
        terms: PutTerms,
        ttl: Duration,
        now: Timestamp,
    ) -> Result<PresignedPut, StorageError> {
        self.presign_write(Draft::object(Method::Put, at), terms, ttl, now)
    }

    /// Like [`Self::presign_put`], for one part of a multipart upload.
    pub fn presign_part(
        &self,
        Multipart { at, upload }: Multipart<'_>,
        number: PartNumber,
        terms: PutTerms,
        ttl: Duration,
        now: Timestamp,
    ) -> Result<PresignedPut, StorageError> {
        self.presign_write(multipart::part_draft(at, upload, number), terms, ttl, now)
    }

    fn presign_write(
        &self,
        draft: Draft<'_>,
        terms: PutTerms,
        ttl: Duration,
        now: Timestamp,
    ) -> Result<PresignedPut, StorageError> {
        let md5 = content_md5(&terms.md5);
        let length = terms.length.map(|length| length.to_string());
        let url = draft
            .header("content-md5", Some(md5.clone()))
            .header("content-length", length.clone())
            .presigned(self, bounded(ttl), now)?;
        let mut headers = vec![("Content-Md5".to_owned(), md5)];
        headers.extend(length.map(|length| ("Content-Length".to_owned(), length)));
        Ok(PresignedPut { url: url.into(), headers })
    }

    /// Presigns a `GET` of the object at `at`; for `ttl`, see [`Self::presign_put`]. The storage sends
    /// `disposition`, if given, as `Content-Disposition`. The URL is a credential: never log it.
    pub fn presign_get(
        &self,
        at: &Location,
        ttl: Duration,
        now: Timestamp,
        disposition: Option<&str>,
    ) -> Result<String, StorageError> {
        self.presign_read(Method::Get, at, ttl, now, disposition)
    }

    /// Like [`Self::presign_get`], for `HEAD`: a signature is valid for one method only.
    pub fn presign_head(
        &self,
        at: &Location,
        ttl: Duration,
        now: Timestamp,
        disposition: Option<&str>,
    ) -> Result<String, StorageError> {
        self.presign_read(Method::Head, at, ttl, now, disposition)
    }

    fn presign_read(
        &self,
        method: Method,
        at: &Location,
        ttl: Duration,
        now: Timestamp,
        disposition: Option<&str>,
    ) -> Result<String, StorageError> {
        let mut draft = Draft::object(method, at);
        if let Some(disposition) = disposition {
            draft = draft.query("response-content-disposition", disposition);
        }
        draft.presigned(self, bounded(ttl), now).map(Into::into)
    }
}

fn bounded(ttl: Duration) -> Duration {
    ttl.clamp(MIN_PRESIGN_TTL, MAX_PRESIGN_TTL)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use spindrift_core::Timestamp;
    use url::Url;

    use super::PutTerms;
    use crate::config::tests::config;
    use crate::{BucketKind, Location, Multipart, ObjectKey, PartNumber, StorageError, UploadId};

    const NOW: Timestamp = Timestamp::from_millis(1_369_353_600_000);
    const HOUR: Duration = Duration::from_hours(1);

    fn at(key: &str) -> Location {
        Location::new(BucketKind::Private, ObjectKey::new(key).unwrap())
    }

    fn query(url: &str, name: &str) -> Option<String> {
        let url = Url::parse(url).unwrap();
        url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
    }

    /// The example in <https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html>
    #[test]
    fn signs_the_published_example() {
        let config = config(&[
            ("s3_presign_endpoint", "https://s3.amazonaws.com"),
            ("s3_region", "us-east-1"),
            ("s3_path_style", "false"),
            ("s3_bucket_private", "examplebucket"),
            ("s3_access_key", "AKIAIOSFODNN7EXAMPLE"),
            ("s3_secret_key", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        ])
        .unwrap();
        let url = config.presign_get(&at("test.txt"), Duration::from_hours(24), NOW, None).unwrap();
        assert_eq!(
            url,
            "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256\
             &X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request\
             &X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host\
             &X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        );
    }

    #[test]
    fn a_put_signs_digest_and_declared_length() {
        let config = config(&[]).unwrap();
        let md5 = [0xff; 16];
        let with = config.presign_put(&at("a b.zip"), PutTerms { md5, length: Some(0) }, HOUR, NOW).unwrap();
        assert!(with.url.starts_with("https://storage.example.com/priv-bucket/a%20b.zip?"), "{}", with.url);
        assert_eq!(
            query(&with.url, "X-Amz-SignedHeaders").as_deref(),
            Some("content-length;content-md5;host")
        );
        assert_eq!(query(&with.url, "X-Amz-Expires").as_deref(), Some("3600"));
        let digest = ("Content-Md5".to_owned(), "/////////////////////w==".to_owned());
        assert_eq!(with.headers, [digest.clone(), ("Content-Length".to_owned(), "0".to_owned())]);

        let without = config.presign_put(&at("a"), PutTerms { md5, length: None }, HOUR, NOW).unwrap();
        assert_eq!(query(&without.url, "X-Amz-SignedHeaders").as_deref(), Some("content-md5;host"));
        assert_eq!(without.headers, [digest]);
        assert!(!format!("{without:?}").contains("X-Amz"));
    }

    #[test]
    fn a_part_signs_which_one_it_is() {
        let upload = UploadId::new("u/1");
        let multipart = Multipart { at: &at("a"), upload: &upload };
        let terms = PutTerms { md5: [0; 16], length: Some(5) };
        let put = config(&[]).unwrap().presign_part(multipart, PartNumber::FIRST, terms, HOUR, NOW).unwrap();
        assert_eq!(query(&put.url, "uploadId").as_deref(), Some("u/1"));
        assert_eq!(query(&put.url, "partNumber").as_deref(), Some("1"));
        assert_eq!(
            query(&put.url, "X-Amz-SignedHeaders").as_deref(),
            Some("content-length;content-md5;host")
        );
    }

    #[test]
    fn a_disposition_is_signed_into_the_url() {
        let url = config(&[])
            .unwrap()
            .presign_get(&at("a"), HOUR, NOW, Some("attachment; filename=\"a b.zip\""))
            .unwrap();
        assert!(url.contains("&response-content-disposition=attachment%3B%20filename%3D%22a%20b.zip%22"));
    }

    #[test]
    fn validity_stays_within_what_the_protocol_allows() {
        let config = config(&[]).unwrap();
        for (ttl, seconds) in [(Duration::ZERO, "1"), (Duration::MAX, "604800")] {
            let url = config.presign_get(&at("a"), ttl, NOW, None).unwrap();
            assert_eq!(query(&url, "X-Amz-Expires").as_deref(), Some(seconds));
        }
    }

    #[test]
    fn an_internal_storage_presigns_nothing() {
        let config = config(&[("storage_driver", "s3_internal")]).unwrap();
        let terms = PutTerms { md5: [0; 16], length: None };
        assert_eq!(
            config.presign_put(&at("a"), terms, HOUR, NOW).unwrap_err(),
            StorageError::PresignUnsupported
        );
        assert_eq!(
            config.presign_get(&at("a"), HOUR, NOW, None).unwrap_err(),
            StorageError::PresignUnsupported
        );
    }

    #[test]
    fn without_keys_nothing_is_signed() {
        let config = config(&[("s3_access_key", "")]).unwrap();
        assert_eq!(
            config.presign_get(&at("a"), HOUR, NOW, None).unwrap_err(),
            StorageError::NotConfigured("s3_access_key")
        );
    }
}
