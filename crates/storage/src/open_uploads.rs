//! Multipart uploads that are neither completed nor aborted.

use rusty_s3::Method;
use serde::Deserialize;
use spindrift_core::Timestamp;

use crate::draft::Draft;
use crate::meta::time;
use crate::{BucketKind, ObjectKey, StorageError, UploadId, answer};

/// A multipart upload that is still open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenUpload {
    /// The object to be written.
    pub key: ObjectKey,
    /// The storage's id of the upload.
    pub id: UploadId,
    /// When it was begun.
    pub initiated: Option<Timestamp>,
}

/// The start of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenUploadsMarker {
    key: String,
    upload: String,
}

/// One page of a listing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenUploadsPage {
    /// Uploads of objects whose names are not valid [`ObjectKey`]s are skipped: this service did not begin
    /// them.
    pub uploads: Vec<OpenUpload>,
    /// Start of the next page; `None` on the last page.
    pub next: Option<OpenUploadsMarker>,
}

/// Requests one page. The storage decides how many uploads are on it.
pub(crate) fn request<'a>(
    bucket: BucketKind,
    prefix: &'a str,
    next: Option<&'a OpenUploadsMarker>,
) -> Draft<'a> {
    let draft = Draft::bucket(Method::Get, bucket).query("uploads", "").query("prefix", prefix);
    match next {
        Some(OpenUploadsMarker { key, upload }) => {
            draft.query("key-marker", key.as_str()).query("upload-id-marker", upload.as_str())
        }
        None => draft,
    }
}

/// Reads the answer to [`request`].
pub(crate) fn page(body: &[u8]) -> Result<OpenUploadsPage, StorageError> {
    let document: OpenUploadsDocument = answer::document(body, "ListMultipartUploadsResult")?;
    let next = document
        .next_key
        .filter(|_| document.truncated)
        .map(|key| OpenUploadsMarker { key, upload: document.next_upload.unwrap_or_default() });
    if document.truncated && next.is_none() {
        return Err(StorageError::Malformed("ListMultipartUploadsResult"));
    }
    Ok(OpenUploadsPage {
        uploads: document.uploads.into_iter().filter_map(UploadEntry::upload).collect(),
        next,
    })
}

#[derive(Deserialize)]
struct OpenUploadsDocument {
    #[serde(rename = "Upload", default)]
    uploads: Vec<UploadEntry>,
    #[serde(rename = "IsTruncated", default)]
    truncated: bool,
    #[serde(rename = "NextKeyMarker")]
    next_key: Option<String>,
    #[serde(rename = "NextUploadIdMarker")]
    next_upload: Option<String>,
}

#[derive(Deserialize)]
struct UploadEntry {
    #[serde(rename = "Key", default)]
    key: String,
    #[serde(rename = "UploadId", default)]
    id: String,
    #[serde(rename = "Initiated")]
    initiated: Option<String>,
}

impl UploadEntry {
    fn upload(self) -> Option<OpenUpload> {
        let initiated = self.initiated.as_deref().and_then(time);
        Some(OpenUpload { key: ObjectKey::new(self.key).ok()?, id: UploadId::new(self.id), initiated })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::config;

    #[test]
    fn pages_follow_each_other() {
        let body = br#"<ListMultipartUploadsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
            <Bucket>b</Bucket><KeyMarker/><IsTruncated>true</IsTruncated><Prefix>pending/</Prefix>
            <NextKeyMarker>pending/1/b c</NextKeyMarker><NextUploadIdMarker>u/2</NextUploadIdMarker>
            <Upload><Key>pending/1/a</Key><UploadId>u-1</UploadId><Initiated>2013-05-24T00:00:00Z</Initiated></Upload>
            <Upload><Key>pending//x</Key><UploadId>u-0</UploadId></Upload>
            <Upload><Key>pending/1/b c</Key><UploadId>u/2</UploadId></Upload></ListMultipartUploadsResult>"#;
        let page = page(body).unwrap();
        let found: Vec<_> = page.uploads.iter().map(|open| (open.key.as_str(), open.id.as_str())).collect();
        assert_eq!(found, [("pending/1/a", "u-1"), ("pending/1/b c", "u/2")]);
        let begun = Timestamp::from_millis(1_369_353_600_000);
        assert_eq!(page.uploads.iter().map(|open| open.initiated).collect::<Vec<_>>(), [Some(begun), None]);
        let draft = request(BucketKind::Private, "pending/", page.next.as_ref());
        let request = draft.into_request(&config(&[]).unwrap(), Timestamp::from_millis(0)).unwrap();
        let query = request.uri().query().unwrap();
        for part in
            ["uploads=", "prefix=pending%2F", "key-marker=pending%2F1%2Fb%20c", "upload-id-marker=u%2F2"]
        {
            assert!(query.split('&').any(|found| found == part), "{part} in {query}");
        }
    }

    #[test]
    fn the_last_page_has_no_next() {
        let empty = b"<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>\
                      <NextKeyMarker></NextKeyMarker></ListMultipartUploadsResult>";
        assert_eq!(page(empty), Ok(OpenUploadsPage::default()));
        let lost =
            b"<ListMultipartUploadsResult><IsTruncated>true</IsTruncated></ListMultipartUploadsResult>";
        assert!(page(lost).is_err());
    }
}
