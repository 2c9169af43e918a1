//! `POST /upload/parts`: one file in parts, so that an interrupted transfer continues where it stopped.

use std::time::Duration;

use http::StatusCode;
use spindrift_api::{PartBody, PartsAnswer, PartsBody};
use spindrift_core::{
    Id, Md5Digest, SessionFile, TextRule as _, Timestamp, UploadSession, part_lengths, quoted,
};
use spindrift_db::uploads;
use spindrift_service::objects::staged::staged_location;
use spindrift_service::publish::PublishError;
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports};
use spindrift_settings::PRESIGNED_UPLOAD_URL_TTL;
use spindrift_storage::{
    Location, Multipart, PartNumber, PutOptions, PutTerms, Storage, StorageConfig, StoredPart, UploadId,
};
use spindrift_web::{ApiError, Request, Response, response};

use crate::presign::require_presigning;
use crate::upload_session::load;

/// Largest body, in bytes: the digests of a thousand parts, and a long `multipart_id`.
const MAX_BODY_BYTES: usize = 64 * 1024;
/// Longest `multipart_id`, in bytes. Storages use up to a few hundred.
const MAX_MULTIPART_ID_BYTES: usize = 2048;

/// A part of which the file will consist.
#[derive(Clone, Copy)]
struct RequestedPart {
    number: PartNumber,
    md5: [u8; 16],
    length: u64,
}

pub(crate) async fn parts<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let storage = session.storage()?;
    require_presigning(storage.config())?;
    let ttl = PRESIGNED_UPLOAD_URL_TTL.read(ports)?;
    let body: PartsBody = request.read_json(MAX_BODY_BYTES).await?;
    let mut upload = load(&session.conn, &session.principal, &Id::from_text(body.upload_id.as_str()))?;
    let file = file(&upload, &body.name)?;
    let (at, requested) = (staged_location(&upload.id, &file.name)?, requested_parts(file, &body)?);
    let length = requested.iter().map(|part| part.length).sum();
    upload.expires_at = session.now.plus_seconds(ttl.as_secs().cast_signed());
    if !uploads::extend(&session.conn, &upload.id, upload.expires_at)? {
        return Err(PublishError::UploadExpired.into());
    }
    let multipart_id = body.multipart_id.map(UploadId::new);
    let (multipart, missing) = match multipart_state(&storage, &at, multipart_id.as_ref(), length).await? {
        MultipartState::Joined(upload) => (upload, Vec::new()),
        MultipartState::Open(upload, stored) => {
            let missing: Vec<RequestedPart> =
                requested.iter().filter(|part| !is_in(**part, &stored)).copied().collect();
            if missing.is_empty() {
                let needed = stored.into_iter().map(|stored| stored.part);
                let needed: Vec<_> =
                    needed.filter(|part| usize::from(part.number.get()) <= requested.len()).collect();
                storage.complete_multipart(&at, &upload, &needed).await?;
            }
            (upload, missing)
        }
    };
    let multipart_id = multipart.as_str().to_owned();
    let multipart = Multipart { at: &at, upload: &multipart };
    let body = PartsAnswer {
        multipart_id,
        expires_at: upload.expires_at.to_rfc3339(),
        parts: presigned(storage.config(), multipart, &missing, ttl, session.now)?,
    };
    Ok(response::json(StatusCode::OK, &body)?)
}

/// The file with this name, which must be one that is sent with presigned URLs.
fn file<'a>(upload: &'a UploadSession, name: &str) -> Result<&'a SessionFile, ApiError> {
    let mut files = upload.files.iter().filter(|file| !file.is_feed());
    files.find(|file| file.name.as_str() == name).ok_or_else(|| ApiError::not_found("file"))
}

fn requested_parts(file: &SessionFile, body: &PartsBody) -> Result<Vec<RequestedPart>, ApiError> {
    let is_wrong = |id: &&String| id.is_empty() || id.len() > MAX_MULTIPART_ID_BYTES;
    if let Some(id) = body.multipart_id.as_ref().filter(is_wrong) {
        let text = format!("invalid multipart_id: 1 to {MAX_MULTIPART_ID_BYTES} bytes, not {}", quoted(id));
        return Err(ApiError::bad_request(text));
    }
    let refused = |error: spindrift_core::InvalidParts| ApiError::bad_request(error.to_string());
    let lengths = part_lengths(file.length, body.part_length, body.md5.len()).map_err(refused)?;
    let numbers = std::iter::successors(Some(PartNumber::FIRST), |number| number.next());
    numbers
        .zip(lengths)
        .zip(&body.md5)
        .map(|((number, length), md5)| {
            let invalid = |_| {
                let (at, rule, sent) = (number.get() - 1, Md5Digest::RULE, quoted(md5));
                ApiError::bad_request(format!("invalid md5[{at}]: {rule}, not {sent}"))
            };
            let md5: Md5Digest = md5.parse().map_err(invalid)?;
            Ok(RequestedPart { number, md5: *md5.as_bytes(), length })
        })
        .collect()
}

/// The state of the file in the storage.
enum MultipartState {
    /// The parts are joined and the file is complete.
    Joined(UploadId),
    /// These parts have arrived.
    Open(UploadId, Vec<StoredPart>),
}

/// Finds the multipart upload `multipart_id`, or starts one.
async fn multipart_state<P: Ports>(
    storage: &Storage<'_, P>,
    at: &Location,
    multipart_id: Option<&UploadId>,
    length: u64,
) -> Result<MultipartState, Failure> {
    if let Some(upload) = multipart_id {
        if let Some(stored) = storage.list_parts(at, upload).await? {
            return Ok(MultipartState::Open(upload.clone(), stored));
        }
        // The answer to the call that joined the parts may have been lost.
        if storage.head(at).await?.is_some_and(|object| object.size == length) {
            return Ok(MultipartState::Joined(upload.clone()));
        }
    }
    Ok(MultipartState::Open(storage.create_multipart(at, PutOptions::default()).await?, Vec::new()))
}

/// Whether the part has arrived, by its number and length. Its tag is not compared, because only some
/// storages use the MD5 as the tag. But the URL of the part was signed for its MD5, and the completion
/// compares the MD5 of the whole file.
fn is_in(part: RequestedPart, stored: &[StoredPart]) -> bool {
    stored.iter().any(|stored| stored.part.number == part.number && stored.size == part.length)
}

fn presigned(
    config: &StorageConfig,
    multipart: Multipart<'_>,
    missing: &[RequestedPart],
    ttl: Duration,
    now: Timestamp,
) -> Result<Vec<PartBody>, Failure> {
    let presign = |part: &RequestedPart| {
        let terms = PutTerms { md5: part.md5, length: Some(part.length) };
        let put = config.presign_part(multipart, part.number, terms, ttl, now)?;
        Ok(PartBody {
            number: part.number.get(),
            method: "PUT".into(),
            url: put.url,
            headers: put.headers.into_iter().collect(),
        })
    };
    missing.iter().map(presign).collect()
}
