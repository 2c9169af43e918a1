//! Comparing the staged objects with what the uploader declared.

use base16ct::lower::encode_string as hex;
use futures::{StreamExt, TryStreamExt};
use spindrift_core::{FileName, SessionFile, Timestamp, UploadSession};
use spindrift_service::objects::staged::staged;
use spindrift_service::{Failure, Ports};
use spindrift_storage::{ObjectMeta, Storage};
use spindrift_web::{ApiError, FileProblem};

use crate::limits::LIMITS;

/// 422 for files that have not been uploaded yet. The call can be repeated once they are.
pub(crate) fn missing(names: &[&FileName]) -> Failure {
    unfit(FileProblem::Missing, names)
}

/// 422 for files whose bytes differ from the declaration.
pub(crate) fn mismatch(names: &[&FileName]) -> Failure {
    unfit(FileProblem::Digest, names)
}

fn unfit(problem: FileProblem, names: &[&FileName]) -> Failure {
    let files = names.iter().map(|name| name.as_str().to_owned()).collect();
    ApiError::UnfitFiles { problem, files }.into()
}

/// 410: the session has expired.
pub fn expired() -> Failure {
    ApiError::Gone("the upload has expired".into()).into()
}

/// Looks up every staged object; returns the storage's metadata in the order of the session's files.
pub(crate) async fn staged_objects<P: Ports>(
    storage: &Storage<'_, P>,
    session: &UploadSession,
    now: Timestamp,
) -> Result<Vec<ObjectMeta>, Failure> {
    let found: Vec<Option<ObjectMeta>> = futures::stream::iter(&session.files)
        .map(async |file| Ok::<_, Failure>(storage.head(&staged(&session.id, &file.name)?).await?))
        .buffered(LIMITS.concurrent_calls)
        .try_collect()
        .await?;
    let absent: Vec<&FileName> =
        session.files.iter().zip(&found).filter(|(_, m)| m.is_none()).map(|(f, _)| &f.name).collect();
    if !absent.is_empty() {
        return Err(if session.expires_at <= now { expired() } else { missing(&absent) });
    }
    let metas: Vec<ObjectMeta> = found.into_iter().flatten().collect();
    let not = |is_right: fn(&SessionFile, &ObjectMeta) -> bool| {
        let files = session.files.iter().zip(&metas);
        files.filter(|(file, meta)| !is_right(file, meta)).map(|(file, _)| &file.name).collect::<Vec<_>>()
    };
    let (lengths, digests) = (not(has_declared_length), not(has_declared_md5));
    if !lengths.is_empty() {
        return Err(unfit(FileProblem::Size, &lengths));
    }
    if digests.is_empty() { Ok(metas) } else { Err(mismatch(&digests)) }
}

fn has_declared_length(file: &SessionFile, meta: &ObjectMeta) -> bool {
    file.length.is_none_or(|length| length == meta.size)
}

/// The declared MD5 of a file whose bytes the storage joined or encrypted. The tag of such a file is not its MD5.
pub(crate) fn unseen_md5<'a>(file: &'a SessionFile, meta: &ObjectMeta) -> Option<&'a str> {
    file.digests().filter(|_| meta.etag_md5().is_none()).map(|digests| digests.md5.as_str())
}

/// An `ETag` is the MD5 only for objects that were uploaded in one piece and are not encrypted with a customer key.
fn has_declared_md5(file: &SessionFile, meta: &ObjectMeta) -> bool {
    file.digests().is_none_or(|digests| meta.etag_md5().is_none_or(|md5| hex(&md5) == digests.md5))
}
