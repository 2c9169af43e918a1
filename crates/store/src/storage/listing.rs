//! Lists a bucket: a page of keys, grouped by a delimiter.

use s3s::dto::{
    CommonPrefix, EncodingType, ListMultipartUploadsInput, ListMultipartUploadsOutput, ListObjectsV2Input,
    ListObjectsV2Output, MultipartUpload,
};
use s3s::{S3Result, s3_error};

use super::index::{Object, ObjectIndex, OpenUpload, timestamp};

/// Maximum number of entries on a page, as in S3.
const MAX_KEYS: i32 = 1000;

/// Sorts after every upload id, because those are hexadecimal.
const LAST_ID: &str = "~";

/// The contents of one page.
#[derive(Default)]
struct ListingPage {
    objects: Vec<(String, Object)>,
    prefixes: Vec<String>,
    /// The last entry, if there are more.
    next: Option<String>,
}

pub(super) fn list(index: &ObjectIndex, input: ListObjectsV2Input) -> S3Result<ListObjectsV2Output> {
    let limit = input.max_keys.unwrap_or(MAX_KEYS).clamp(0, MAX_KEYS);
    let prefix = input.prefix.clone().unwrap_or_default();
    let delimiter = input.delimiter.clone().filter(|delimiter| !delimiter.is_empty());
    let after = input.continuation_token.clone().max(input.start_after.clone()).unwrap_or_default();
    let page =
        page(index, &input.bucket, &prefix, &after, delimiter.as_deref(), limit.try_into().unwrap_or(0))?;

    let encoded = input.encoding_type.as_ref().is_some_and(|kind| kind.as_str() == EncodingType::URL);
    let encode = |text: String| if encoded { url_encode(&text) } else { text };
    let count = page.objects.len() + page.prefixes.len();
    let contents = page.objects.into_iter().map(|(key, object)| s3s::dto::Object {
        e_tag: Some(object.e_tag()),
        last_modified: Some(object.last_modified()),
        size: i64::try_from(object.size).ok(),
        key: Some(encode(key)),
        ..Default::default()
    });
    let prefixes = page.prefixes.into_iter().map(|prefix| CommonPrefix { prefix: Some(encode(prefix)) });
    Ok(ListObjectsV2Output {
        contents: Some(contents.collect()),
        common_prefixes: Some(prefixes.collect()),
        is_truncated: Some(page.next.is_some()),
        next_continuation_token: page.next,
        key_count: i32::try_from(count).ok(),
        max_keys: Some(limit),
        name: Some(input.bucket),
        prefix: input.prefix.map(encode),
        delimiter: input.delimiter.map(encode),
        start_after: input.start_after.map(encode),
        continuation_token: input.continuation_token,
        encoding_type: input.encoding_type,
        ..Default::default()
    })
}

fn page(
    index: &ObjectIndex,
    bucket: &str,
    prefix: &str,
    after: &str,
    delimiter: Option<&str>,
    limit: usize,
) -> S3Result<ListingPage> {
    let mut page = ListingPage::default();
    let mut last = String::new();
    index.scan(bucket, prefix, after, |key, object| {
        let group = delimiter.and_then(|delimiter| {
            let end = prefix.len() + key[prefix.len()..].find(delimiter)? + delimiter.len();
            Some(key[..end].to_owned())
        });
        // A group counts as one entry. It is on the page where it begins.
        if let Some(group) = &group
            && (*group == last || group.as_str() <= after)
        {
            return true;
        }
        if page.objects.len() + page.prefixes.len() == limit {
            page.next = (limit > 0).then(|| last.clone());
            return false;
        }
        if let Some(group) = group {
            last.clone_from(&group);
            page.prefixes.push(group);
        } else {
            last.clone_from(&key);
            page.objects.push((key, object));
        }
        true
    })?;
    Ok(page)
}

/// The open multipart uploads, sorted by key and then by id.
pub(super) fn list_uploads(
    index: &ObjectIndex,
    input: ListMultipartUploadsInput,
) -> S3Result<ListMultipartUploadsOutput> {
    if input.delimiter.as_ref().is_some_and(|delimiter| !delimiter.is_empty()) {
        return Err(s3_error!(NotImplemented));
    }
    let limit = input.max_uploads.unwrap_or(MAX_KEYS).clamp(1, MAX_KEYS);
    let size = usize::try_from(limit).unwrap_or_default();
    let after_key = input.key_marker.clone().unwrap_or_default();
    // A key marker without an id marker skips all uploads of that key.
    let after_id = input.upload_id_marker.clone().unwrap_or_else(|| LAST_ID.to_owned());
    let prefix = input.prefix.clone().unwrap_or_default();
    let mut found = index.open_uploads(&input.bucket, &prefix, (&after_key, &after_id), size + 1)?;
    let is_truncated = found.len() > size;
    found.truncate(size);
    let last = found.last().filter(|_| is_truncated).cloned();
    let encoded = input.encoding_type.as_ref().is_some_and(|kind| kind.as_str() == EncodingType::URL);
    let encode = |text: String| if encoded { url_encode(&text) } else { text };
    let upload = |open: OpenUpload| MultipartUpload {
        key: Some(encode(open.key)),
        upload_id: Some(open.id),
        initiated: Some(timestamp(open.initiated)),
        ..Default::default()
    };
    Ok(ListMultipartUploadsOutput {
        uploads: Some(found.into_iter().map(upload).collect()),
        is_truncated: Some(is_truncated),
        next_key_marker: last.as_ref().map(|open| encode(open.key.clone())),
        next_upload_id_marker: last.map(|open| open.id),
        bucket: Some(input.bucket),
        prefix: input.prefix.map(encode),
        key_marker: input.key_marker,
        upload_id_marker: input.upload_id_marker,
        max_uploads: Some(limit),
        encoding_type: input.encoding_type,
        ..Default::default()
    })
}

/// Percent-encodes everything except letters, digits and `-._~/`, as S3 does for `encoding-type=url`.
fn url_encode(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(byte.into());
        } else {
            encoded.push('%');
            encoded.push_str(&base16ct::upper::encode_string(&[byte]));
        }
        encoded
    })
}
