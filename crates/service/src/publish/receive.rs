//! Receives one file into the storage.

use bytes::BytesMut;
use spindrift_storage::{
    Algorithm, Digester, FileDigests, Location, PartNumber, PutOptions, Storage, UploadId, UploadedPart,
};
use spindrift_web::FormPart;

use super::error::PublishError;
use super::limits::LIMITS;
use crate::Ports;

/// Streams `part` to `at`: in one request if it is small, else as a multipart upload, which is aborted on any
/// error. Fails after more than `limit` bytes. Returns MD5, SHA-256 and SHA-512.
pub(crate) async fn receive<P: Ports>(
    storage: &Storage<'_, P>,
    at: &Location,
    part: &mut FormPart,
    limit: u64,
) -> Result<FileDigests, PublishError> {
    let mut digests = Digester::new([Algorithm::Md5, Algorithm::Sha256, Algorithm::Sha512]);
    let mut buffer = BytesMut::with_capacity(LIMITS.part_bytes);
    let mut open: Option<OpenMultipart> = None;
    let result = loop {
        match fill(part, &mut buffer, &mut digests, limit).await {
            Err(failure) => break Err(failure),
            Ok(true) => {
                if let Err(failure) = send_part(storage, at, &mut open, &mut buffer).await {
                    break Err(failure);
                }
            }
            Ok(false) => break finish(storage, at, &mut open, &mut buffer).await,
        }
    };
    match (result, open) {
        (Ok(()), _) => Ok(digests.finish()),
        (Err(failure), Some(open)) => {
            // Return the original failure. The bucket's lifecycle rule removes a multipart upload that cannot
            // be aborted now.
            let _ = storage.abort_multipart(at, &open.id).await;
            Err(failure)
        }
        (Err(failure), None) => Err(failure),
    }
}

/// A multipart upload in progress.
struct OpenMultipart {
    id: UploadId,
    next: PartNumber,
    parts: Vec<UploadedPart>,
}

/// Reads until the buffer holds a full part (`true`) or the file ends (`false`).
async fn fill(
    part: &mut FormPart,
    buffer: &mut BytesMut,
    digests: &mut Digester,
    limit: u64,
) -> Result<bool, PublishError> {
    while buffer.len() < LIMITS.part_bytes {
        let Some(chunk) = part.chunk().await? else { return Ok(false) };
        digests.update(&chunk);
        if digests.size() > limit {
            return Err(PublishError::FileTooLarge(limit));
        }
        buffer.extend_from_slice(&chunk);
    }
    Ok(true)
}

async fn send_part<P: Ports>(
    storage: &Storage<'_, P>,
    at: &Location,
    open: &mut Option<OpenMultipart>,
    buffer: &mut BytesMut,
) -> Result<(), PublishError> {
    if open.is_none() {
        let id = storage.create_multipart(at, PutOptions::default()).await?;
        *open = Some(OpenMultipart { id, next: PartNumber::FIRST, parts: Vec::new() });
    }
    let Some(upload) = open else { return Ok(()) };
    let bytes = std::mem::replace(buffer, BytesMut::with_capacity(LIMITS.part_bytes)).freeze();
    let sent = storage.upload_part(at, &upload.id, upload.next, bytes).await?;
    upload.parts.push(sent);
    upload.next = upload.next.next().ok_or(PublishError::TooManyParts)?;
    Ok(())
}

async fn finish<P: Ports>(
    storage: &Storage<'_, P>,
    at: &Location,
    open: &mut Option<OpenMultipart>,
    buffer: &mut BytesMut,
) -> Result<(), PublishError> {
    if open.is_none() {
        return Ok(storage.put(at, std::mem::take(buffer).freeze(), PutOptions::default()).await?);
    }
    if !buffer.is_empty() {
        send_part(storage, at, open, buffer).await?;
    }
    if let Some(upload) = open {
        storage.complete_multipart(at, &upload.id, &upload.parts).await?;
    }
    Ok(())
}
