//! Files that come through the service, streamed, with memory that does not grow with them.
//!
//! They become staged objects of an upload session, as if they had been presigned, and are then published in the same
//! way. Whatever ends the call early takes its staged objects along; what a killed process leaves, maintenance finds by
//! the session.

use spindrift_core::{
    FeedName, FileName, Id, MAX_FEED_BYTES, MAX_FILE_BYTES, MAX_FILES_PER_UPLOAD, ReleaseMetadata,
    SessionFile, SessionState, Timestamp, UploadSession,
};
use spindrift_db::{claims, uploads};
use spindrift_service::objects::location;
use spindrift_service::principal::Principal;
use spindrift_service::staging::{delete_staged, staged};
use spindrift_service::{Failure, Ports, settings};
use spindrift_storage::Storage;
use spindrift_web::{ApiError, Part, Parts};

use crate::place::{self, Place};
use crate::plan::{check_files, object, session_release};
use crate::record::holder;
use crate::staged::{clean_up, publish};
use crate::stream::{Received, receive};

/// Seconds after which the session of an upload that is still being sent counts as abandoned.
const SESSION_SECONDS: i64 = 12 * 60 * 60;

/// An upload whose files are still to come.
pub struct Upload<'a> {
    /// Who sends it.
    pub principal: &'a Principal,
    /// What it says of the release.
    pub metadata: &'a ReleaseMetadata,
    /// Where it goes.
    pub place: &'a Place,
}

/// Stages the files and publishes them; `along` is as in [`publish`]. Answers the release and what `along` did.
pub async fn take<P: Ports, T>(
    ports: &P,
    conn: &P::Conn,
    upload: Upload<'_>,
    files: Files,
    along: impl FnOnce(&P::Conn, Option<&Id>) -> Result<T, Failure>,
) -> Result<(Id, T), Failure> {
    let now = ports.now();
    let config = settings::storage(ports)?;
    let Upload { place, metadata, .. } = upload;
    place::find_room(conn, &place.app_id, &place.target, &metadata.version, &[])?;
    let mut session = session(ports.new_id(), &upload, now)?;
    uploads::insert(conn, &session, now)?;
    let storage = Storage::new(&config, ports, || ports.now());
    let mut staging = Staging { place, metadata, storage: &storage, received: Vec::new() };
    let published = async {
        let sizes = staging.stage_all(conn, &mut session, files).await?;
        publish(ports, conn, &storage, &session, &sizes, along).await
    };
    match published.await {
        Ok((release, done)) => {
            clean_up(ports, conn, &storage, &session, &release).await?;
            Ok((release, done))
        }
        Err(failure) => {
            discard(conn, &storage, &session).await;
            Err(failure)
        }
    }
}

/// The files of a form: what is left of its parts.
pub struct Files {
    /// A part that was looked at already.
    pub first: Option<Part>,
    /// Those that are still to come.
    pub rest: Parts,
}

impl Files {
    async fn next(&mut self) -> Result<Option<Part>, ApiError> {
        match self.first.take() {
            Some(first) => Ok(Some(first)),
            None => self.rest.next().await,
        }
    }
}

fn session(id: Id, upload: &Upload<'_>, now: Timestamp) -> Result<UploadSession, ApiError> {
    let Upload { principal, metadata, place } = upload;
    Ok(UploadSession {
        id,
        owner_id: principal.owner_id.clone(),
        owner: principal.owner.clone(),
        app_id: place.app_id.clone(),
        started_by: principal.identity.clone(),
        target: place.target.clone(),
        release: session_release(metadata, place.updater)?,
        files: Vec::new(),
        state: SessionState::Staged,
        expires_at: now.plus_seconds(SESSION_SECONDS),
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
    /// Stages every part, notes the files with the session, and answers their sizes in bytes.
    async fn stage_all(
        &mut self,
        conn: &P::Conn,
        session: &mut UploadSession,
        mut incoming: Files,
    ) -> Result<Vec<u64>, Failure> {
        while let Some(part) = incoming.next().await? {
            self.stage(&session.id, part).await?;
        }
        self.check()?;
        let (files, sizes) = std::mem::take(&mut self.received).into_iter().unzip();
        session.files = files;
        uploads::set_files(conn, &session.id, &session.files)?;
        Ok(sizes)
    }

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

/// Takes back what a refused or interrupted upload has stored. What cannot be taken back now stays with the session and
/// its claims, for maintenance.
async fn discard<P: Ports>(conn: &P::Conn, storage: &Storage<'_, P>, session: &UploadSession) {
    let is_gone = delete_copied(conn, storage, session).await.is_ok()
        && delete_staged(storage, &session.id).await.is_ok();
    if is_gone {
        let _ = uploads::delete_staged(conn, &session.id);
    }
}

/// Deletes what has been copied to final keys, so that the call can be repeated at once. A key whose claim is given back
/// is recorded: the failure came after that.
async fn delete_copied<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &UploadSession,
) -> Result<(), Failure> {
    let holder = holder(session);
    for file in &session.files {
        if claims::is_held(conn, &file.object, &holder)? {
            // A feed may be there from an earlier upload to the release.
            if !file.feed {
                storage.delete(&location(&file.object)?).await?;
            }
            claims::release(conn, &file.object, &holder)?;
        }
    }
    Ok(())
}
