//! Reading objects.

use s3s::dto::{
    ETagCondition, GetObjectInput, GetObjectOutput, HeadObjectInput, HeadObjectOutput, StreamingBlob,
    Timestamp, TimestampFormat,
};
use s3s::{S3Error, S3Result, s3_error};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use tokio_util::io::ReaderStream;

use super::Objects;
use crate::storage::index::Object as Entry;

/// Bytes per read from a file.
const CHUNK: usize = 64 * 1024;

/// Maximum number of retries if the object is replaced between reading the index and opening the file.
const ATTEMPTS: usize = 10;

impl Objects {
    /// The object and its open file. An open file stays readable if the object is replaced or removed.
    async fn open_object(&self, bucket: &str, key: &str) -> S3Result<(Entry, tokio::fs::File)> {
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

    /// `GetObject`, whole or a range.
    pub(super) async fn read(&self, input: GetObjectInput) -> S3Result<GetObjectOutput> {
        let (entry, mut file) = self.open_object(&input.bucket, &input.key).await?;
        check(
            &entry,
            input.if_match.as_ref(),
            input.if_none_match.as_ref(),
            input.if_modified_since.as_ref(),
        )?;
        let range = match &input.range {
            Some(range) => range.check(entry.size).map_err(|_| s3_error!(InvalidRange))?,
            None => 0..entry.size,
        };
        let length = range.end - range.start;
        if range.start > 0 {
            file.seek(std::io::SeekFrom::Start(range.start)).await.map_err(S3Error::internal_error)?;
        }
        let body = StreamingBlob::wrap(ReaderStream::with_capacity(file.take(length), CHUNK));
        let content_range = input
            .range
            .map(|_| format!("bytes {}-{}/{}", range.start, range.end.saturating_sub(1), entry.size));
        let (e_tag, last_modified) = (entry.e_tag(), entry.last_modified());
        let kept = entry.attributes;
        Ok(GetObjectOutput {
            accept_ranges: Some("bytes".into()),
            body: Some(body),
            content_length: i64::try_from(length).ok(),
            content_range,
            e_tag: Some(e_tag),
            last_modified: Some(last_modified),
            content_type: input.response_content_type.or(kept.content_type),
            content_encoding: input.response_content_encoding.or(kept.content_encoding),
            content_disposition: input.response_content_disposition.or(kept.content_disposition),
            content_language: input.response_content_language.or(kept.content_language),
            cache_control: input.response_cache_control.or(kept.cache_control),
            expires: input.response_expires.or(kept.expires),
            metadata: kept.metadata,
            ..Default::default()
        })
    }

    /// `HeadObject`.
    pub(super) fn head(&self, input: &HeadObjectInput) -> S3Result<HeadObjectOutput> {
        let entry = self.index.object(&input.bucket, &input.key)?;
        check(
            &entry,
            input.if_match.as_ref(),
            input.if_none_match.as_ref(),
            input.if_modified_since.as_ref(),
        )?;
        let (e_tag, last_modified) = (entry.e_tag(), entry.last_modified());
        let kept = entry.attributes;
        Ok(HeadObjectOutput {
            accept_ranges: Some("bytes".into()),
            content_length: i64::try_from(entry.size).ok(),
            e_tag: Some(e_tag),
            last_modified: Some(last_modified),
            content_type: kept.content_type,
            content_encoding: kept.content_encoding,
            content_disposition: kept.content_disposition,
            content_language: kept.content_language,
            cache_control: kept.cache_control,
            expires: kept.expires,
            metadata: kept.metadata,
            ..Default::default()
        })
    }
}

/// Whether the client already has this version, or requires a different one.
fn check(
    entry: &Entry,
    if_match: Option<&ETagCondition>,
    if_none_match: Option<&ETagCondition>,
    if_modified_since: Option<&Timestamp>,
) -> S3Result<()> {
    let etag = entry.e_tag();
    let fits = |condition: &ETagCondition| condition.as_etag().is_none_or(|wanted| wanted.weak_cmp(&etag));
    if if_match.is_some_and(|condition| !fits(condition)) {
        return Err(s3_error!(PreconditionFailed));
    }
    // Times in headers are in whole seconds.
    let changed = |since: &Timestamp| {
        let since = time(since).unwrap_or(i64::MIN);
        time(&entry.last_modified()).is_none_or(|modified| modified > since)
    };
    let unchanged = match (if_none_match, if_modified_since) {
        (Some(condition), _) => fits(condition),
        (None, Some(since)) => !changed(since),
        (None, None) => false,
    };
    if unchanged { Err(s3_error!(NotModified)) } else { Ok(()) }
}

/// Seconds since 1970.
fn time(timestamp: &Timestamp) -> Option<i64> {
    let mut text = Vec::new();
    timestamp.format(TimestampFormat::EpochSeconds, &mut text).ok()?;
    let text = String::from_utf8(text).ok()?;
    text.split('.').next()?.parse().ok()
}
