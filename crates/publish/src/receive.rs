//! Receiving one file into the storage.

use base16ct::lower::encode_string as hex;
use bytes::BytesMut;
use md5::Md5;
use sha2::{Digest, Sha256, Sha512};
use spindrift_service::Ports;
use spindrift_storage::{Location, PartNumber, PutOptions, Storage, UploadId, UploadedPart};
use spindrift_web::Part;

use crate::error::PublishError;
use crate::limits::LIMITS;

/// A stored file.
pub(crate) struct Received {
    pub(crate) size: u64,
    pub(crate) md5: String,
    pub(crate) sha256: String,
    pub(crate) sha512: String,
}

#[derive(Default)]
struct Hashers {
    size: u64,
    md5: Md5,
    sha256: Sha256,
    sha512: Sha512,
}

impl Hashers {
    fn update(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.md5.update(bytes);
        self.sha256.update(bytes);
        self.sha512.update(bytes);
    }

    fn finish(self) -> Received {
        Received {
            size: self.size,
            md5: hex(&self.md5.finalize()),
            sha256: hex(&self.sha256.finalize()),
            sha512: hex(&self.sha512.finalize()),
        }
    }
}

/// Streams `part` to `at`: in one request if it is small, else as a multipart upload, which is aborted on any error.
/// More than `limit` bytes are an error.
pub(crate) async fn receive<P: Ports>(
    storage: &Storage<'_, P>,
    at: &Location,
    part: &mut Part,
    limit: u64,
) -> Result<Received, PublishError> {
    let mut digests = Hashers::default();
    let mut buffer = BytesMut::with_capacity(LIMITS.part_bytes);
    let mut open: Option<Open> = None;
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
            // The original failure is returned. A multipart upload that cannot be aborted now is removed by the
            // bucket's lifecycle rule.
            let _ = storage.abort_multipart(at, &open.id).await;
            Err(failure)
        }
        (Err(failure), None) => Err(failure),
    }
}

/// A multipart upload in progress.
struct Open {
    id: UploadId,
    next: PartNumber,
    parts: Vec<UploadedPart>,
}

/// Reads until the buffer holds a full part (`true`) or the file ends (`false`).
async fn fill(
    part: &mut Part,
    buffer: &mut BytesMut,
    digests: &mut Hashers,
    limit: u64,
) -> Result<bool, PublishError> {
    while buffer.len() < LIMITS.part_bytes {
        let Some(chunk) = part.chunk().await? else { return Ok(false) };
        digests.update(&chunk);
        if digests.size > limit {
            return Err(PublishError::FileTooLarge(limit));
        }
        buffer.extend_from_slice(&chunk);
    }
    Ok(true)
}

async fn send_part<P: Ports>(
    storage: &Storage<'_, P>,
    at: &Location,
    open: &mut Option<Open>,
    buffer: &mut BytesMut,
) -> Result<(), PublishError> {
    if open.is_none() {
        let id = storage.create_multipart(at, PutOptions::default()).await?;
        *open = Some(Open { id, next: PartNumber::FIRST, parts: Vec::new() });
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
    open: &mut Option<Open>,
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
