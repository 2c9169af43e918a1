//! Compares staged objects with the lengths and MD5 digests that the uploader declared.

use base16ct::lower::encode_string as hex;
use futures::{StreamExt, TryStreamExt};
use spindrift_core::{FileName, SessionFile, Timestamp, UploadSession};
use spindrift_storage::{ObjectMeta, Storage};

use super::error::PublishError;
use super::limits::LIMITS;
use crate::Ports;
use crate::objects::staged::staged_location;

/// Looks up every staged object, and compares its length and MD5 with the declaration. Returns the storage's
/// metadata in the order of the upload's files.
pub(crate) async fn find_staged_objects<P: Ports>(
    storage: &Storage<'_, P>,
    upload: &UploadSession,
    now: Timestamp,
) -> Result<Vec<ObjectMeta>, PublishError> {
    let found: Vec<Option<ObjectMeta>> = futures::stream::iter(&upload.files)
        .map(async |file| {
            Ok::<_, PublishError>(storage.head(&staged_location(&upload.id, &file.name)?).await?)
        })
        .buffered(LIMITS.concurrent_calls)
        .try_collect()
        .await?;
    let absent = upload.files.iter().zip(&found).filter(|(_, m)| m.is_none()).map(|(f, _)| f.name.clone());
    let absent: Vec<FileName> = absent.collect();
    if !absent.is_empty() {
        let is_over = upload.expires_at <= now;
        return Err(if is_over { PublishError::UploadExpired } else { PublishError::FilesMissing(absent) });
    }
    let metas: Vec<ObjectMeta> = found.into_iter().flatten().collect();
    let names_failing = |is_right: fn(&SessionFile, &ObjectMeta) -> bool| {
        let files = upload.files.iter().zip(&metas);
        files
            .filter(|(file, meta)| !is_right(file, meta))
            .map(|(file, _)| file.name.clone())
            .collect::<Vec<_>>()
    };
    let (lengths, digests) = (names_failing(has_declared_length), names_failing(has_declared_md5));
    if !lengths.is_empty() {
        return Err(PublishError::SizeMismatch(lengths));
    }
    if digests.is_empty() { Ok(metas) } else { Err(PublishError::DigestMismatch(digests)) }
}

fn has_declared_length(file: &SessionFile, meta: &ObjectMeta) -> bool {
    file.length.is_none_or(|length| length == meta.size)
}

/// The declared MD5 of a file that the storage joined from parts or encrypted, so that its tag is not its
/// MD5.
pub(crate) fn unverified_md5<'a>(file: &'a SessionFile, meta: &ObjectMeta) -> Option<&'a str> {
    file.digests().filter(|_| meta.etag_md5().is_none()).map(|digests| digests.md5.as_str())
}

/// An `ETag` is the MD5 only for objects that were uploaded in one piece and are not encrypted with a
/// customer key.
fn has_declared_md5(file: &SessionFile, meta: &ObjectMeta) -> bool {
    file.digests().is_none_or(|digests| meta.etag_md5().is_none_or(|md5| hex(&md5) == digests.md5))
}
