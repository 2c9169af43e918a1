//! Answers of an object storage: XML documents of S3.

use std::fmt::Write as _;

use futures::executor::block_on;
use spindrift_storage::{
    BucketKind, ListPage, ListedObject, Location, ObjectKey, PartNumber, PutOptions, Storage, StorageConfig,
    StorageError, UploadId, UploadedPart,
};

use crate::text::places;
use crate::world::{NOW, World};

/// Longest error code that goes into an error.
const MAX_CODE_LENGTH: usize = 64;

/// An answer is read or refused, for any request. A listing that was read is the same when it is written and read
/// again, and a part of it is refused.
pub fn storage_answers(data: &[u8]) -> bool {
    let failed = list(503, data).expect_err("a failure");
    assert!(is_code(&failed), "{failed:?}");
    others(data);
    let page = match list(200, data) {
        Ok(page) => page,
        Err(refusal) => {
            assert!(is_code(&refusal), "{refusal:?}");
            return false;
        }
    };
    // Some storages send characters that XML has no way to write.
    let is_written = |text: &str| text.chars().all(|c| c >= ' ' || matches!(c, '\t' | '\n' | '\r'));
    let tags = page.objects.iter().map(|object| object.etag.as_str());
    if !tags.chain(page.next.as_deref()).all(is_written) {
        return true;
    }
    let written = listing(&page);
    let again = list(200, written.as_bytes()).expect("a listing that was written");
    let bare = |page: &ListPage| {
        let objects =
            page.objects.iter().map(|object| (object.key.clone(), object.size, object.etag.clone()));
        (objects.collect::<Vec<_>>(), page.next.clone())
    };
    assert_eq!(bare(&again), bare(&page), "{written}");
    for part in places(written.len()).filter_map(|place| written.get(..place)) {
        assert!(list(200, part.as_bytes()).is_err(), "{part}");
    }
    true
}

fn world(status: u16, body: &[u8]) -> World {
    World::default()
        .with("s3_api_endpoint", "https://s3.example")
        .with("s3_public_url", "https://cdn.example")
        .with("s3_access_key", "access")
        .with("s3_secret_key", "secret")
        .with("s3_bucket", "pub")
        .with("s3_bucket_private", "priv")
        .with("s3_bucket_cdn", "cdn")
        .answering(status, body)
}

fn list(status: u16, body: &[u8]) -> Result<ListPage, StorageError> {
    let world = world(status, body);
    let config = StorageConfig::read(&world).expect("settings");
    let storage = Storage::new(config, &world, || NOW);
    block_on(storage.list(BucketKind::Private, "pending/", None, 1000))
}

/// The other documents: they are read, or an error says no more than a code.
fn others(body: &[u8]) {
    let world = world(200, body);
    let config = StorageConfig::read(&world).expect("settings");
    let storage = Storage::new(config, &world, || NOW);
    let at = Location::new(BucketKind::Private, "a/b".parse::<ObjectKey>().expect("a key"));
    let upload = UploadId::new("upload");
    let part = UploadedPart { number: PartNumber::FIRST, etag: "tag".to_owned() };
    block_on(async {
        let open = storage.list_multipart(BucketKind::Private, "", None).await;
        let begun = storage.create_multipart(&at, PutOptions::default()).await.map(drop);
        let ended = storage.complete_multipart(&at, &upload, &[part]).await.map(drop);
        let copied = storage.copy(&at, "tag", &at, content_headers()).await;
        for result in [open.map(drop), begun, ended, copied] {
            assert!(result.as_ref().is_ok() || result.as_ref().is_err_and(is_code), "{result:?}");
        }
    });
}

fn content_headers() -> spindrift_core::ContentHeaders {
    spindrift_core::ContentHeaders::of(&"a.zip".parse().expect("a file name"))
}

/// Whether an error repeats nothing of the answer but a short code.
fn is_code(error: &StorageError) -> bool {
    match error {
        StorageError::Answered { code: Some(code), .. } => {
            (1..=MAX_CODE_LENGTH).contains(&code.len())
                && code.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
        }
        _ => true,
    }
}

fn listing(page: &ListPage) -> String {
    let mut xml = format!("<ListBucketResult><IsTruncated>{}</IsTruncated>", page.next.is_some());
    if let Some(next) = &page.next {
        let _ = write!(xml, "<NextContinuationToken>{}</NextContinuationToken>", escape(next));
    }
    for ListedObject { key, size, etag, .. } in &page.objects {
        let (key, etag) = (escape(key.as_str()), escape(etag));
        let _ = write!(xml, "<Contents><Key>{key}</Key><Size>{size}</Size><ETag>{etag}</ETag></Contents>");
    }
    xml + "</ListBucketResult>"
}

/// Also white space of ASCII, which readers may cut off.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() {
            let _ = write!(escaped, "&#{};", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}
