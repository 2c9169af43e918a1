//! Metadata of an object, as reported by the storage.

use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG};

use spindrift_core::Timestamp;

use crate::StorageError;

/// Size, tag and content type of a stored object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectMeta {
    /// Size in bytes.
    pub size: u64,
    /// Without quotes and without the `W/` of a weak tag; empty if the storage sent none.
    pub etag: String,
    /// The content type given when the object was written.
    pub content_type: Option<String>,
}

impl ObjectMeta {
    /// Reads the headers of an answer to `HEAD` or `GET`.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Result<Self, StorageError> {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let size = text(CONTENT_LENGTH)
            .and_then(|length| length.trim().parse().ok())
            .ok_or(StorageError::Malformed("the content-length of the answer"))?;
        Ok(Self {
            size,
            etag: text(ETAG).map(bare_etag).unwrap_or_default().to_owned(),
            content_type: text(CONTENT_TYPE).map(str::to_owned),
        })
    }

    /// The `ETag` as an MD5, if it looks like one. S3 promises an MD5 only for plain uploads: objects that
    /// were uploaded in parts have other tags, and encrypted objects may.
    pub fn etag_md5(&self) -> Option<[u8; 16]> {
        if self.etag.len() != 32 || !self.etag.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let mut md5 = [0; 16];
        for (index, byte) in md5.iter_mut().enumerate() {
            *byte = u8::from_str_radix(self.etag.get(2 * index..2 * index + 2)?, 16).ok()?;
        }
        Some(md5)
    }
}

/// Parses a time in a listing. `None` if it is invalid.
pub(crate) fn time(text: &str) -> Option<Timestamp> {
    let time: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp::from_millis(time.as_millisecond()))
}

/// `etag` without quotes and without the `W/` of a weak tag.
pub(crate) fn bare_etag(etag: &str) -> &str {
    let etag = etag.trim();
    etag.strip_prefix("W/").unwrap_or(etag).trim_matches('"')
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::ObjectMeta;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.insert(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn reads_size_tag_and_type() {
        let pairs = [
            ("content-length", "5368709120"),
            ("etag", "\"000102030405060708090A0b0c0d0e0f\""),
            ("content-type", "application/zip"),
        ];
        let meta = ObjectMeta::from_headers(&headers(&pairs)).unwrap();
        assert_eq!(meta.size, 5_368_709_120);
        assert_eq!(meta.etag, "000102030405060708090A0b0c0d0e0f");
        assert_eq!(meta.content_type.as_deref(), Some("application/zip"));
        assert_eq!(meta.etag_md5(), Some([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]));
    }

    #[test]
    fn not_every_tag_is_an_md5() {
        for etag in
            ["W/\"abc\"", "\"000102030405060708090a0b0c0d0e0f-2\"", "\"+00102030405060708090a0b0c0d0e0f\""]
        {
            let meta =
                ObjectMeta::from_headers(&headers(&[("content-length", "1"), ("etag", etag)])).unwrap();
            assert_eq!(meta.etag_md5(), None, "{etag}");
            assert!(!meta.etag.contains('"') && !meta.etag.starts_with('W'));
        }
    }

    #[test]
    fn a_size_is_needed() {
        assert!(ObjectMeta::from_headers(&HeaderMap::new()).is_err());
    }
}
