//! Listing a bucket.

use rusty_s3::Method;
use serde::Deserialize;
use spindrift_core::Timestamp;

use crate::draft::Draft;
use crate::meta::{bare_etag, time};
use crate::{BucketKind, ObjectKey, StorageError, answer};

/// Maximum number of objects on a page (a limit of S3).
pub const MAX_LIST_PAGE: u16 = 1000;

/// One page of a listing, keys in ascending order of their bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListPage {
    /// Objects whose names are not valid [`ObjectKey`]s are skipped: this service did not write them.
    pub objects: Vec<ListedObject>,
    /// Token of the next page; `None` on the last page.
    pub next: Option<String>,
}

/// An object in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedObject {
    pub key: ObjectKey,
    /// Size in bytes.
    pub size: u64,
    /// Without quotes; empty if the storage sent none.
    pub etag: String,
    /// When the object was last written.
    pub modified: Option<Timestamp>,
}

/// Requests one page of the objects whose keys start with `prefix`, which need not end at a segment. `next`
/// is the token of the page; `None` requests the first.
///
/// Does not request `encoding-type=url`. XML can represent every [`ObjectKey`], and servers differ in the
/// characters that they encode and how: some confirm the encoding and leave the keys as they are.
pub(crate) fn request<'a>(
    bucket: BucketKind,
    prefix: &'a str,
    next: Option<&'a str>,
    limit: u16,
) -> Draft<'a> {
    let limit = limit.clamp(1, MAX_LIST_PAGE);
    let draft = Draft::bucket(Method::Get, bucket)
        .query("list-type", "2")
        .query("prefix", prefix)
        .query("max-keys", limit.to_string());
    match next {
        Some(token) => draft.query("continuation-token", token),
        None => draft,
    }
}

/// Reads the answer to [`request`].
pub(crate) fn page(body: &[u8]) -> Result<ListPage, StorageError> {
    let document: ListDocument = answer::document(body, "ListBucketResult")?;
    let next = document.next.filter(|token| !token.is_empty());
    if document.truncated && next.is_none() {
        return Err(StorageError::Malformed("ListBucketResult"));
    }
    Ok(ListPage {
        objects: document.contents.into_iter().filter_map(ObjectEntry::object).collect(),
        next: if document.truncated { next } else { None },
    })
}

#[derive(Deserialize)]
struct ListDocument {
    #[serde(rename = "Contents", default)]
    contents: Vec<ObjectEntry>,
    #[serde(rename = "IsTruncated", default)]
    truncated: bool,
    #[serde(rename = "NextContinuationToken")]
    next: Option<String>,
}

#[derive(Deserialize)]
struct ObjectEntry {
    #[serde(rename = "Key")]
    key: String,
    #[serde(rename = "Size")]
    size: u64,
    #[serde(rename = "ETag", default)]
    etag: String,
    #[serde(rename = "LastModified")]
    modified: Option<String>,
}

impl ObjectEntry {
    fn object(self) -> Option<ListedObject> {
        Some(ListedObject {
            key: ObjectKey::new(self.key).ok()?,
            size: self.size,
            etag: bare_etag(&self.etag).to_owned(),
            modified: self.modified.as_deref().and_then(time),
        })
    }
}

#[cfg(test)]
mod tests {
    use spindrift_core::Timestamp;

    use super::{page, request};
    use crate::config::tests::config;
    use crate::{BucketKind, StorageError};

    const PAGE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
            <Name>bucket</Name><Prefix>pending/</Prefix><KeyCount>3</KeyCount><MaxKeys>3</MaxKeys>
            <IsTruncated>true</IsTruncated><NextContinuationToken>1/a=</NextContinuationToken>
            <Contents><Key>pending/1/a &amp; b&#43;c.zip</Key><LastModified>2013-05-24T00:00:00.123Z</LastModified>
                <ETag>&quot;00&quot;</ETag><Size>5368709120</Size><StorageClass>STANDARD</StorageClass></Contents>
            <Contents><Key>pending//x</Key><ETag>"11"</ETag><Size>1</Size></Contents>
            <Contents><Key>pending/2</Key><Size>0</Size></Contents>
            <CommonPrefixes><Prefix>p/</Prefix></CommonPrefixes>
        </ListBucketResult>"#;

    #[test]
    fn reads_a_page() {
        let page = page(PAGE.as_bytes()).unwrap();
        assert_eq!(page.next.as_deref(), Some("1/a="));
        let keys: Vec<_> = page.objects.iter().map(|object| object.key.as_str()).collect();
        assert_eq!(keys, ["pending/1/a & b+c.zip", "pending/2"]);
        assert_eq!(page.objects[0].size, 5_368_709_120);
        assert_eq!(page.objects[0].etag, "00");
        assert_eq!(page.objects[0].modified, Some(Timestamp::from_millis(1_369_353_600_123)));
        assert_eq!(page.objects[1].modified, None);
    }

    #[test]
    fn keys_keep_their_spaces_and_signs() {
        let text = "<ListBucketResult>\n<Contents><Key> a+%2B  \u{e9}&#x20;</Key><Size>0</Size></Contents>\n\
                    <Contents><Key>b </Key><Size>1</Size></Contents></ListBucketResult>";
        let keys: Vec<_> = page(text.as_bytes()).unwrap().objects.into_iter().map(|o| o.key).collect();
        assert_eq!(keys.iter().map(crate::ObjectKey::as_str).collect::<Vec<_>>(), [" a+%2B  é ", "b "]);
    }

    #[test]
    fn the_last_page_has_no_next() {
        let empty = page(b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>").unwrap();
        assert_eq!((empty.objects.len(), empty.next), (0, None));
        assert_eq!(page(b"<ListBucketResult/>").unwrap().next, None);
    }

    #[test]
    fn a_page_that_silently_ends_early_is_refused() {
        let error =
            page(b"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>").unwrap_err();
        assert_eq!(error, StorageError::Malformed("ListBucketResult"));
    }

    #[test]
    fn asks_for_a_prefix_and_a_page() {
        let request = request(BucketKind::Private, "pending/a b", Some("1/a="), 5000)
            .into_request(&config(&[]).unwrap(), Timestamp::from_millis(0))
            .unwrap();
        let uri = request.uri().to_string();
        let query = "continuation-token=1%2Fa%3D&list-type=2&max-keys=1000&prefix=pending%2Fa%20b";
        assert_eq!(uri, format!("http://storage.internal:9000/priv-bucket/?{query}"));
    }
}
