//! The parts of a multipart upload that have arrived.

use rusty_s3::Method;
use serde::Deserialize;

use crate::draft::Draft;
use crate::meta::bare_etag;
use crate::{Location, PartNumber, StorageError, UploadId, UploadedPart, answer};

/// A part in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPart {
    /// Number and tag.
    pub part: UploadedPart,
    /// Size in bytes.
    pub size: u64,
}

/// One page of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PartsPage {
    pub(crate) parts: Vec<StoredPart>,
    /// The last part of this page; `None` on the last page.
    pub(crate) next: Option<u16>,
}

/// Requests one page. The storage decides how many parts are on it.
pub(crate) fn request<'a>(at: &'a Location, upload: &'a UploadId, after: Option<u16>) -> Draft<'a> {
    let draft = Draft::object(Method::Get, at).query("uploadId", upload.as_str());
    match after {
        Some(number) => draft.query("part-number-marker", number.to_string()),
        None => draft,
    }
}

/// Reads the answer to [`request`].
pub(crate) fn page(body: &[u8]) -> Result<PartsPage, StorageError> {
    const MALFORMED: StorageError = StorageError::Malformed("ListPartsResult");
    let document: PartsDocument = answer::document(body, "ListPartsResult")?;
    let parts: Vec<StoredPart> =
        document.parts.into_iter().map(|entry| entry.part().ok_or(MALFORMED)).collect::<Result<_, _>>()?;
    let next = document.next.filter(|_| document.truncated);
    if document.truncated && next.is_none() {
        return Err(MALFORMED);
    }
    Ok(PartsPage { parts, next })
}

#[derive(Deserialize)]
struct PartsDocument {
    #[serde(rename = "Part", default)]
    parts: Vec<PartEntry>,
    #[serde(rename = "IsTruncated", default)]
    truncated: bool,
    #[serde(rename = "NextPartNumberMarker")]
    next: Option<u16>,
}

#[derive(Deserialize)]
struct PartEntry {
    #[serde(rename = "PartNumber")]
    number: u16,
    #[serde(rename = "ETag", default)]
    etag: String,
    #[serde(rename = "Size")]
    size: u64,
}

impl PartEntry {
    fn part(self) -> Option<StoredPart> {
        let number = PartNumber::new(self.number)?;
        let etag = bare_etag(&self.etag).to_owned();
        Some(StoredPart { part: UploadedPart { number, etag }, size: self.size })
    }
}

#[cfg(test)]
mod tests {
    use spindrift_core::Timestamp;

    use super::*;
    use crate::config::tests::config;
    use crate::{BucketKind, ObjectKey};

    #[test]
    fn pages_follow_each_other() {
        let body = br#"<ListPartsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Bucket>b</Bucket>
            <PartNumberMarker>0</PartNumberMarker><NextPartNumberMarker>2</NextPartNumberMarker>
            <IsTruncated>true</IsTruncated>
            <Part><PartNumber>1</PartNumber><ETag>&quot;aa&quot;</ETag><Size>8388608</Size></Part>
            <Part><PartNumber>2</PartNumber><ETag>"bb"</ETag><Size>7</Size></Part></ListPartsResult>"#;
        let page = page(body).unwrap();
        let found: Vec<_> =
            page.parts.iter().map(|part| (part.part.number.get(), &*part.part.etag, part.size)).collect();
        assert_eq!(found, [(1, "aa", 8_388_608), (2, "bb", 7)]);
        let at = Location::new(BucketKind::Private, ObjectKey::new("a").unwrap());
        let upload = UploadId::new("u/2");
        let draft = request(&at, &upload, page.next);
        let uri =
            draft.into_request(&config(&[]).unwrap(), Timestamp::from_millis(0)).unwrap().uri().to_string();
        assert!(uri.contains("part-number-marker=2") && uri.contains("uploadId=u%2F2"), "{uri}");
    }

    #[test]
    fn the_last_page_has_no_next() {
        let last = b"<ListPartsResult><IsTruncated>false</IsTruncated>\
                     <NextPartNumberMarker>3</NextPartNumberMarker></ListPartsResult>";
        assert_eq!(page(last), Ok(PartsPage::default()));
        for wrong in [
            &b"<ListPartsResult><IsTruncated>true</IsTruncated></ListPartsResult>"[..],
            b"<ListPartsResult><Part><PartNumber>0</PartNumber><Size>1</Size></Part></ListPartsResult>",
        ] {
            assert!(page(wrong).is_err());
        }
    }
}
