//! What was sent, compared with what was declared.

use base16ct::lower::encode_string as hex;
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use sha2::{Digest, Sha256, Sha512};
use spindrift_core::{FileName, Id, SessionFile, Sha256Hex, Sha512Hex, Timestamp, UploadSession};
use spindrift_service::staging::staged;
use spindrift_service::{Failure, Ports};
use spindrift_storage::{ObjectMeta, Storage, StorageError};
use spindrift_web::ApiError;

use crate::staged::CONCURRENT_CALLS;

/// 409 for files that are not there yet: the call can be repeated once they are.
pub(crate) fn missing(names: &[&FileName]) -> Failure {
    ApiError::Conflict(format!("missing files: {}", list(names)).into()).into()
}

/// 410: the session's time is over.
pub fn expired() -> Failure {
    ApiError::Gone("the upload has expired".into()).into()
}

fn mismatch(names: &[&FileName]) -> Failure {
    ApiError::Conflict(format!("digest mismatch: {}", list(names)).into()).into()
}

fn list(names: &[&FileName]) -> String {
    names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Looks at every staged object and answers their sizes in bytes, in the order of the session's files.
pub async fn staged_objects<P: Ports>(
    storage: &Storage<'_, P>,
    session: &UploadSession,
    now: Timestamp,
) -> Result<Vec<u64>, Failure> {
    let found: Vec<Option<ObjectMeta>> = futures::stream::iter(&session.files)
        .map(async |file| Ok::<_, Failure>(storage.head(&staged(&session.id, &file.name)?).await?))
        .buffered(CONCURRENT_CALLS)
        .try_collect()
        .await?;
    let absent: Vec<&FileName> =
        session.files.iter().zip(&found).filter(|(_, m)| m.is_none()).map(|(f, _)| &f.name).collect();
    if !absent.is_empty() {
        if session.expires_at <= now {
            return Err(expired());
        }
        return Err(missing(&absent));
    }
    let metas: Vec<ObjectMeta> = found.into_iter().flatten().collect();
    let wrong: Vec<&FileName> = session
        .files
        .iter()
        .zip(&metas)
        .filter(|(file, meta)| !is_as_declared(file, meta))
        .map(|(file, _)| &file.name)
        .collect();
    if wrong.is_empty() { Ok(metas.iter().map(|meta| meta.size).collect()) } else { Err(mismatch(&wrong)) }
}

/// An `ETag` is the MD5 only for objects that were put in one piece and are not encrypted with a key of the customer's.
fn is_as_declared(file: &SessionFile, meta: &ObjectMeta) -> bool {
    let length = file.length.is_none_or(|length| length == meta.size);
    let md5 = file.feed || meta.etag_md5().is_none_or(|md5| hex(&md5) == file.md5);
    length && md5
}

/// A file of an application with TUF, and the digests that its bytes must have.
pub struct Digests<'a> {
    name: &'a FileName,
    sha256: Sha256Hex,
    sha512: Sha512Hex,
}

/// The digests of a TUF application's files; 400 unless each has both, well-formed.
pub fn required_digests(files: &[SessionFile]) -> Result<Vec<Digests<'_>>, ApiError> {
    files
        .iter()
        .filter(|file| !file.feed)
        .map(|file| {
            let sha256 = file.sha256.as_deref().and_then(|text| text.parse().ok());
            let sha512 = file.sha512.as_deref().and_then(|text| text.parse().ok());
            sha256
                .zip(sha512)
                .map(|(sha256, sha512)| Digests { name: &file.name, sha256, sha512 })
                .ok_or_else(|| {
                    ApiError::bad_request("sha256 and sha512 are required for applications with TUF enabled")
                })
        })
        .collect()
}

/// Reads the staged bytes once, as they stream, and compares both digests.
pub async fn contents<P: Ports>(
    storage: &Storage<'_, P>,
    upload: &Id,
    digests: &[Digests<'_>],
) -> Result<(), Failure> {
    for file in digests {
        let (_, stream) =
            storage.get_stream(&staged(upload, file.name)?).await?.ok_or_else(|| missing(&[file.name]))?;
        let (sha256, sha512) = stream
            .try_fold((Sha256::new(), Sha512::new()), async |(mut sha256, mut sha512), chunk: Bytes| {
                sha256.update(&chunk);
                sha512.update(&chunk);
                Ok((sha256, sha512))
            })
            .await
            .map_err(|error| StorageError::Unreachable(error.to_string()))?;
        if hex(&sha256.finalize()) != file.sha256.as_str() || hex(&sha512.finalize()) != file.sha512.as_str()
        {
            return Err(mismatch(&[file.name]));
        }
    }
    Ok(())
}
