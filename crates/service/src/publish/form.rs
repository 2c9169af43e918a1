//! Uploads through the service, as forms with files. Files are streamed, so their size does not affect
//! memory.
//!
//! Text and files may arrive in any order. Each file is stored as a staged object as it arrives. When all
//! have arrived, they become an upload session and are published like a presigned upload. A call that ends
//! early deletes its staged objects. If the process is killed, maintenance finds them through a row that was
//! inserted before the first byte was stored.

use spindrift_core::audit::AuditEntry;
use spindrift_core::{
    DeclaredDigests, FeedName, FileName, Id, InvalidValue, MAX_FEED_BYTES, MAX_FILE_BYTES,
    MAX_FILES_PER_UPLOAD, ReleaseMetadata, SessionFile, SessionFileKind, SessionState, TextRule as _,
    Timestamp, UploadSession, naming_updater,
};
use spindrift_db::changes::Change;
use spindrift_db::claims::{self, Holder};
use spindrift_db::{SqlFailure, in_transaction, incoming_uploads, uploads};
use spindrift_storage::{Algorithm, FileDigests, Storage};
use spindrift_web::{FormPart, FormParts, Request};

use super::destination::{Destination, require_any_upload, require_unchanged};
use super::error::PublishError;
use super::existing_release::find_release;
use super::finish::{PublishTerms, clean_up, publish};
use super::limits::LIMITS;
use super::receive::receive;
use super::record::PublishOutcome;
use super::slots::OccupiedSlots;
use super::upload_session::{check_files, final_object, session_release};
use crate::objects::location;
use crate::objects::staged::{delete_staged, staged_location};
use crate::requests::Session;
use crate::{Ports, ServiceError};

/// The field that describes the upload.
const DATA: &str = "data";

/// The description of an upload, and its destination.
#[derive(Clone, Copy)]
pub struct UploadDescription<'a> {
    pub metadata: &'a ReleaseMetadata,
    pub destination: &'a Destination,
}

/// A form that is being received.
pub struct UploadForm<'a, P: Ports> {
    session: &'a Session<'a, P>,
    storage: &'a Storage<'a, P>,
    parts: FormParts,
    /// A part that was peeked at but not consumed.
    next: Option<FormPart>,
    id: Id,
    received: Vec<(FileName, FileDigests)>,
    /// Whether staged objects may exist.
    has_begun: bool,
    upload: Option<UploadSession>,
}

/// Runs `work` on a form with files, and deletes the staged objects if it fails.
pub async fn read<P: Ports, T, E: From<PublishError>>(
    session: &Session<'_, P>,
    request: Request,
    work: impl AsyncFnOnce(&mut UploadForm<'_, P>) -> Result<T, E>,
) -> Result<T, E> {
    let parts = FormParts::new(request, None).await.map_err(PublishError::from)?;
    let storage = &session.storage().map_err(PublishError::from)?;
    let mut form = UploadForm {
        session,
        storage,
        parts,
        next: None,
        id: session.ports.new_id(),
        received: Vec::new(),
        has_begun: false,
        upload: None,
    };
    let result = work(&mut form).await;
    if result.is_err() && form.has_begun {
        form.discard().await;
    }
    result
}

impl<P: Ports> UploadForm<'_, P> {
    /// The field `data`, at most `limit` bytes. Fails if it is missing. Stages files that precede it.
    pub async fn data(&mut self, limit: usize) -> Result<String, PublishError> {
        while let Some(mut part) = self.parts.next().await? {
            match part.name() {
                _ if part.file_name().is_some() => self.stage(part).await?,
                DATA => return Ok(part.read_text(limit).await?),
                name => return Err(unexpected_field(name)),
            }
        }
        Err(ServiceError::MissingField(DATA).into())
    }

    pub async fn has_files(&mut self) -> Result<bool, PublishError> {
        Ok(!self.received.is_empty() || self.has_next().await?)
    }

    /// Checks the received files, stages the remaining ones, and publishes all. `before` and `along` are as
    /// in [`publish`]. Returns the id of the release, and the result of `along`.
    pub async fn publish<T, E: SqlFailure + From<PublishError>>(
        &mut self,
        description: UploadDescription<'_>,
        terms: PublishTerms<'_>,
        before: impl AsyncFnOnce() -> Result<(), E>,
        along: impl FnMut(&Change<'_, P::Conn>, Option<&Id>) -> Result<(T, Option<AuditEntry>), E>,
    ) -> Result<(Id, T), E> {
        let UploadDescription { metadata, destination } = description;
        let release =
            find_release(&self.session.conn, &destination.app_id, &destination.target, &metadata.version)?;
        let packages = &metadata.packages;
        let occupied = OccupiedSlots::of(
            &self.session.conn,
            release.as_ref(),
            &metadata.version,
            &destination.target,
            terms.pending_removal,
        )?;
        self.received.iter().try_for_each(|(name, _)| occupied.require_free(name, packages))?;
        while self.has_next().await? {
            let Some(part) = self.next.take() else { break };
            occupied.require_free(&file_name(&part)?, packages)?;
            self.stage(part).await?;
        }
        self.check(description)?;
        let (session, storage) = (self.session, self.storage);
        let upload = self.begin_session(description)?;
        let published = publish(session, storage, upload, terms, (before, along)).await?;
        let PublishOutcome { release, result, follow_up } = published;
        clean_up(session, storage, upload, Some(follow_up)).await?;
        Ok((release, result))
    }

    /// Whether another file follows. Fails on any other part.
    async fn has_next(&mut self) -> Result<bool, PublishError> {
        if self.next.is_none() {
            self.next = self.parts.next().await?;
        }
        match &self.next {
            Some(part) if part.file_name().is_none() => Err(unexpected_field(part.name())),
            next => Ok(next.is_some()),
        }
    }

    /// Streams one file into its staged object.
    async fn stage(&mut self, mut part: FormPart) -> Result<(), PublishError> {
        let name = file_name(&part)?;
        self.check_name(&name)?;
        if !self.has_begun {
            require_any_upload(&self.session.principal)?;
            let end = self.session.ports.now().plus_seconds(LIMITS.arrival_seconds);
            incoming_uploads::insert(&self.session.conn, &self.id, end)?;
            self.has_begun = true;
        }
        let limit = if name.is_feed() { MAX_FEED_BYTES } else { MAX_FILE_BYTES };
        let received = receive(self.storage, &staged_location(&self.id, &name)?, &mut part, limit).await?;
        self.received.push((name, received));
        Ok(())
    }

    fn check_name(&self, name: &FileName) -> Result<(), PublishError> {
        if self.received.iter().any(|(known, _)| known == name) {
            return Err(PublishError::DuplicateFile(name.clone()));
        }
        if self.received.len() >= MAX_FILES_PER_UPLOAD {
            return Err(PublishError::TooManyFiles);
        }
        Ok(())
    }

    /// Checks the rules that concern all files together.
    fn check(&self, description: UploadDescription<'_>) -> Result<(), PublishError> {
        let names = || self.received.iter().map(|(name, _)| name);
        let files: Vec<&FileName> = names().filter(|name| !name.is_feed()).collect();
        let feeds = names().filter(|name| name.is_feed()).cloned().map(FeedName::try_from);
        check_files(
            description.destination,
            description.metadata,
            &files,
            &feeds.collect::<Result<Vec<_>, _>>()?,
        )
    }

    /// Turns the files into a session. Fails if the upload counts as abandoned, because its files may be
    /// deleted.
    fn begin_session(
        &mut self,
        description: UploadDescription<'_>,
    ) -> Result<&mut UploadSession, PublishError> {
        let upload = self.new_session(description, self.session.ports.now())?;
        in_transaction(&self.session.conn, |conn| {
            if !incoming_uploads::delete(conn, &upload.id)? {
                return Err(PublishError::UploadExpired);
            }
            require_unchanged(conn, &upload, &self.session.principal)?;
            Ok(uploads::insert(conn, &upload)?)
        })?;
        Ok(self.upload.insert(upload))
    }

    fn new_session(
        &mut self,
        description: UploadDescription<'_>,
        now: Timestamp,
    ) -> Result<UploadSession, PublishError> {
        let UploadDescription { metadata, destination } = description;
        let naming = naming_updater(destination.updater, self.received.iter().map(|(name, _)| name));
        let file = |(name, received): (FileName, FileDigests)| {
            let digest = |algorithm| received.get(algorithm).map(str::to_owned);
            let digests = DeclaredDigests {
                md5: digest(Algorithm::Md5).unwrap_or_default(),
                sha256: digest(Algorithm::Sha256),
                sha512: digest(Algorithm::Sha512),
            };
            let is_feed = name.is_feed();
            Ok(SessionFile {
                object: final_object((destination, naming), metadata, &name)?,
                name,
                length: Some(received.size),
                kind: if is_feed { SessionFileKind::Feed } else { SessionFileKind::Artifact(digests) },
            })
        };
        Ok(UploadSession {
            id: self.id.clone(),
            owner_id: self.session.principal.owner_id.clone(),
            owner: self.session.principal.owner.clone(),
            app_id: destination.app_id.clone(),
            started_by: self.session.principal.identity.clone(),
            target: destination.target.clone(),
            release: session_release(metadata, destination.updater, now)?,
            files: std::mem::take(&mut self.received)
                .into_iter()
                .map(file)
                .collect::<Result<_, PublishError>>()?,
            state: SessionState::Staged,
            // There are no presigned URLs: only this call publishes the upload.
            expires_at: now.plus_seconds(LIMITS.claim_seconds),
            verified: std::collections::BTreeMap::new(),
        })
    }

    /// Deletes the stored files of a refused or interrupted upload. Objects that cannot be deleted now stay
    /// with the upload and its claims, for maintenance.
    async fn discard(&self) {
        let copies = match &self.upload {
            Some(upload) => delete_copied(&self.session.conn, self.storage, upload).await,
            None => Ok(()),
        };
        if copies.is_ok() && delete_staged(self.storage, &self.id, &mut 0).await.is_ok() {
            let _ = incoming_uploads::delete(&self.session.conn, &self.id);
            let _ = uploads::delete_staged(&self.session.conn, &self.id);
        }
    }
}

fn file_name(part: &FormPart) -> Result<FileName, PublishError> {
    let text = part.file_name().unwrap_or_default();
    let invalid = |_| PublishError::InvalidFileName(InvalidValue::of_text("file name", FileName::RULE, text));
    text.parse().map_err(invalid)
}

fn unexpected_field(field: &str) -> PublishError {
    let field: String = field.chars().filter(|c| !c.is_control()).take(LIMITS.quoted_chars).collect();
    PublishError::UnexpectedField(field)
}

/// Deletes the copies at final keys, so that the call can be repeated at once. A key without a claim is
/// already recorded, and the failure happened afterwards.
async fn delete_copied<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    upload: &UploadSession,
) -> Result<(), PublishError> {
    let holder = Holder::upload(&upload.id);
    for file in &upload.files {
        if claims::is_held(conn, &file.object, &holder)? {
            storage.delete(&location(&file.object)?).await?;
            claims::release(conn, &file.object, &holder)?;
        }
    }
    Ok(())
}
