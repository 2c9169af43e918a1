//! `POST /upload`: the bytes come through the service, streamed, with memory that does not grow with them.
//!
//! The files become staged objects of an upload session, as if they had been presigned, and are then published in the
//! same way. Whatever ends the call early takes its staged objects along; what a killed process leaves, maintenance
//! finds by the session.

use spindrift_core::{
    FeedName, FileName, Id, MAX_FEED_BYTES, MAX_FILE_BYTES, MAX_FILES_PER_UPLOAD, MAX_METADATA_BYTES,
    ReleaseMetadata, SessionFile, SessionState, UploadSession,
};
use spindrift_db::uploads;
use spindrift_service::principal::{Principal, authenticate};
use spindrift_service::staging::staged;
use spindrift_service::{Failure, Ports, settings};
use spindrift_storage::Storage;
use spindrift_web::{ApiError, Part, Parts, Request, Response};

use crate::complete::{clean_up, publish_staged, uploaded};
use crate::place::{self, Place};
use crate::plan::{check_files, object, session_release};
use crate::stream::{Received, receive};

/// Seconds after which the session of an upload that is still being sent counts as abandoned.
const SESSION_SECONDS: i64 = 12 * 60 * 60;

pub(crate) async fn upload<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let now = ports.now();
    let conn = spindrift_db::open(ports, now)?;
    let principal = authenticate(ports, &conn, &request)?;
    let config = settings::storage(ports)?;
    let mut parts = Parts::new(request, None)?;
    let metadata = read_metadata(&mut parts).await?;
    let place = place::find(&conn, &principal, &metadata)?;
    place::find_room(&conn, &place.app_id, &place.target, &metadata.version, &[])?;
    let mut session = UploadSession {
        id: ports.new_id(),
        expires_at: now.plus_seconds(SESSION_SECONDS),
        ..session(principal, &metadata, &place)?
    };
    uploads::insert(&conn, &session, now)?;
    let storage = Storage::new(&config, ports, || ports.now());
    let mut staging = Staging { place: &place, metadata: &metadata, storage: &storage, received: Vec::new() };
    match publish(ports, &conn, &mut session, &mut staging, parts).await {
        Ok(release) => {
            clean_up(ports, &conn, &storage, &session, &release).await?;
            uploaded(&release)
        }
        Err(failure) => {
            discard(&conn, &storage, &session).await;
            Err(failure)
        }
    }
}

/// `data` comes before the files, so that nothing is stored for an upload that is refused.
async fn read_metadata(parts: &mut Parts) -> Result<ReleaseMetadata, ApiError> {
    let mut part = parts.next().await?.ok_or_else(|| ApiError::bad_request("missing data"))?;
    if part.file_name().is_some() || part.name() != "data" {
        return Err(ApiError::bad_request("the field data must come before the files"));
    }
    let text = part.read_text(MAX_METADATA_BYTES).await?;
    ReleaseMetadata::parse(&text).map_err(|error| ApiError::bad_request(error.to_string()))
}

fn session(
    principal: Principal,
    metadata: &ReleaseMetadata,
    place: &Place,
) -> Result<UploadSession, ApiError> {
    Ok(UploadSession {
        id: Id::from_text(""),
        owner_id: principal.owner_id,
        owner: principal.owner,
        app_id: place.app_id.clone(),
        started_by: principal.identity,
        target: place.target.clone(),
        release: session_release(metadata, place.updater)?,
        files: Vec::new(),
        state: SessionState::Staged,
        expires_at: spindrift_core::Timestamp::from_millis(0),
    })
}

/// The files of one call on their way into the storage.
struct Staging<'a, P> {
    place: &'a Place,
    metadata: &'a ReleaseMetadata,
    storage: &'a Storage<'a, P>,
    received: Vec<(SessionFile, u64)>,
}

impl<P: Ports> Staging<'_, P> {
    /// Streams one file part into its staged object.
    async fn stage(&mut self, upload: &Id, mut part: Part) -> Result<(), Failure> {
        let name = part.file_name().ok_or_else(|| ApiError::bad_request("unexpected field after data"))?;
        let name: FileName = name.parse().map_err(|_| ApiError::bad_request("invalid file name"))?;
        let feed = name.feed_kind().is_some();
        self.check_name(&name)?;
        let limit = if feed { MAX_FEED_BYTES } else { MAX_FILE_BYTES };
        let object = object(self.place, &self.metadata.version, &name)?;
        let received: Received = receive(self.storage, &staged(upload, &name)?, &mut part, limit).await?;
        let file = SessionFile {
            name,
            object,
            md5: received.md5,
            sha256: Some(received.sha256),
            sha512: Some(received.sha512),
            length: Some(received.size),
            feed,
        };
        self.received.push((file, received.size));
        Ok(())
    }

    fn check_name(&self, name: &FileName) -> Result<(), ApiError> {
        if self.received.iter().any(|(file, _)| file.name == *name) {
            return Err(ApiError::bad_request(format!("duplicate file name: {name}")));
        }
        if self.received.len() >= MAX_FILES_PER_UPLOAD {
            return Err(ApiError::bad_request("too many files"));
        }
        Ok(())
    }

    /// The rules for all files together.
    fn check(&self) -> Result<(), Failure> {
        let files: Vec<&FileName> =
            self.received.iter().filter(|(f, _)| !f.feed).map(|(f, _)| &f.name).collect();
        let feeds = self
            .received
            .iter()
            .filter(|(file, _)| file.feed)
            .map(|(file, _)| FeedName::try_from(file.name.clone()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| ApiError::bad_request(error.to_string()))?;
        Ok(check_files(self.place, self.metadata, &files, &feeds)?)
    }
}

async fn publish<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    session: &mut UploadSession,
    staging: &mut Staging<'_, P>,
    mut parts: Parts,
) -> Result<Id, Failure> {
    while let Some(part) = parts.next().await? {
        staging.stage(&session.id, part).await?;
    }
    staging.check()?;
    let (files, sizes): (Vec<_>, Vec<_>) = std::mem::take(&mut staging.received).into_iter().unzip();
    session.files = files;
    uploads::set_files(conn, &session.id, &session.files)?;
    publish_staged(ports, conn, staging.storage, session, &sizes).await
}

/// Takes back what a refused or interrupted upload has stored. What cannot be taken back now stays with the session,
/// for maintenance.
async fn discard<P: Ports>(conn: &P::Conn, storage: &Storage<'_, P>, session: &UploadSession) {
    if spindrift_service::staging::delete_staged(storage, &session.id).await.is_ok() {
        let _ = uploads::delete_staged(conn, &session.id);
    }
}
