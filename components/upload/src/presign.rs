//! The URLs of an upload.

use std::time::Duration;

use spindrift_api::{UploadFileBody, UploadInitBody};
use spindrift_core::{DeclaredDigests, Md5Digest, SessionFile, Timestamp, UploadSession};
use spindrift_service::Failure;
use spindrift_service::objects::staged::staged_location;
use spindrift_storage::{PutTerms, StorageConfig, StorageDriver, StorageError};
use spindrift_web::ApiError;

/// 501 if uploaders cannot reach the storage.
pub(crate) fn require_presigning(config: &StorageConfig) -> Result<(), Failure> {
    if config.driver() == StorageDriver::S3Internal {
        return Err(StorageError::PresignUnsupported.into());
    }
    Ok(())
}

/// The answer with which the caller can send the files of the upload, valid for `ttl` from `now` on.
pub(crate) fn granted(
    config: &StorageConfig,
    upload: &UploadSession,
    ttl: Duration,
    now: Timestamp,
) -> Result<UploadInitBody, Failure> {
    let sent = upload.files.iter().filter_map(|file| Some((file, file.digests()?)));
    let files = sent.map(|(file, digests)| presigned(config, upload, file, digests, ttl, now));
    Ok(UploadInitBody {
        upload_id: upload.id.to_string(),
        expires_at: upload.expires_at.to_rfc3339(),
        files: files.collect::<Result<_, _>>()?,
    })
}

fn presigned(
    config: &StorageConfig,
    upload: &UploadSession,
    file: &SessionFile,
    digests: &DeclaredDigests,
    ttl: Duration,
    now: Timestamp,
) -> Result<UploadFileBody, Failure> {
    let md5: Md5Digest = digests
        .md5
        .parse()
        .map_err(|_| ApiError::Internal { internal: "a session without an MD5".into() })?;
    let terms = PutTerms { md5: *md5.as_bytes(), length: file.length };
    let put = config.presign_put(&staged_location(&upload.id, &file.name)?, terms, ttl, now)?;
    Ok(UploadFileBody {
        name: file.name.as_str().to_owned(),
        method: "PUT".into(),
        url: put.url,
        headers: put.headers.into_iter().collect(),
    })
}
