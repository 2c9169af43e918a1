//! `POST /upload/init`.

use std::collections::BTreeMap;
use std::time::Duration;

use http::StatusCode;
use spindrift_core::{
    DeclaredDigests, FeedName, FileName, Id, Release, SessionFile, SessionFileKind, SessionState, Timestamp,
    UploadSession, naming_updater,
};
use spindrift_db::{SqlConn, uploads};
use spindrift_service::objects::staged::staged_location;
use spindrift_service::publish::PublishError;
use spindrift_service::publish::destination::{self, Destination};
use spindrift_service::publish::existing_release::{find_release, replaced_feeds};
use spindrift_service::publish::feeds::{self, FeedContext};
use spindrift_service::publish::slots::OccupiedSlots;
use spindrift_service::publish::upload_session::{check_files, final_object, session_release};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports};
use spindrift_settings::PRESIGNED_UPLOAD_URL_TTL;
use spindrift_storage::{PutOptions, Storage};
use spindrift_web::{Request, Response, response};

use crate::presign::{granted, require_presigning};
use crate::request::{InitRequest, InlineFeed};

pub(crate) async fn init<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    destination::require_any_upload(&session.principal)?;
    let storage = session.storage()?;
    require_presigning(storage.config())?;
    let ttl = PRESIGNED_UPLOAD_URL_TTL.read(ports)?;
    let init_request = InitRequest::read(request).await?;
    let destination = destination::resolve(&session.conn, &session.principal, &init_request.metadata)?;
    let files: Vec<&FileName> = init_request.manifest.iter().map(|entry| &entry.name).collect();
    let feeds: Vec<FeedName> = init_request.feeds.iter().map(|feed| feed.name.clone()).collect();
    check_files(&destination, &init_request.metadata, &files, &feeds)?;
    let release = find_release(
        &session.conn,
        &destination.app_id,
        &destination.target,
        &init_request.metadata.version,
    )?;
    check_feeds(&session.conn, &destination, &init_request, release.as_ref(), ports.now())?;
    let version = &init_request.metadata.version;
    let occupied = OccupiedSlots::of(&session.conn, release.as_ref(), version, &destination.target, &[])?;
    files.iter().try_for_each(|name| occupied.require_free(name, &init_request.metadata.packages))?;
    let updaters = feeds.iter().map(FeedName::updater).collect();
    replaced_feeds(
        &session.conn,
        &session.principal,
        release.as_ref(),
        (&destination.target, &updaters),
        session.now,
    )?;
    let upload = new_upload(&session, &init_request, destination, ttl)?;
    let body = granted(storage.config(), &upload, ttl, session.now)?;
    uploads::insert(&session.conn, &upload)?;
    store_feeds(&storage, &upload.id, init_request.feeds).await?;
    Ok(response::json(StatusCode::OK, &body)?)
}

/// Checks the feeds as far as possible without the files; the rest is checked at completion.
fn check_feeds(
    conn: &impl SqlConn,
    destination: &Destination,
    init_request: &InitRequest,
    release: Option<&Release>,
    now: Timestamp,
) -> Result<(), Failure> {
    let contents: Vec<_> =
        init_request.feeds.iter().map(|feed| (feed.name.clone(), feed.bytes.clone())).collect();
    let names = init_request.feeds.iter().map(|feed| feed.name.as_file_name());
    let stored = feeds::nameable_files(conn, &destination.app_id, &destination.target, names)?;
    let context = FeedContext {
        updater: destination.updater,
        version: &init_request.metadata.version,
        target: &destination.target,
        files: &init_request.manifest,
        stored: &stored,
        rollout: release.map_or(init_request.metadata.rollout, |release| release.rollout.basis_points(now)),
    };
    feeds::check(&context, &contents)?;
    Ok(())
}

fn new_upload(
    session: &Session<'_, impl Ports>,
    init_request: &InitRequest,
    destination: Destination,
    ttl: Duration,
) -> Result<UploadSession, PublishError> {
    let (metadata, principal, now) = (&init_request.metadata, &session.principal, session.now);
    Ok(UploadSession {
        id: session.ports.new_id(),
        owner_id: principal.owner_id.clone(),
        owner: principal.owner.clone(),
        app_id: destination.app_id.clone(),
        started_by: principal.identity.clone(),
        files: session_files(init_request, &destination)?,
        target: destination.target,
        release: session_release(metadata, destination.updater, now)?,
        state: SessionState::Staged,
        expires_at: now.plus_seconds(ttl.as_secs().cast_signed()),
        verified: BTreeMap::new(),
    })
}

fn session_files(
    init_request: &InitRequest,
    destination: &Destination,
) -> Result<Vec<SessionFile>, PublishError> {
    let mut files = Vec::with_capacity(init_request.manifest.len() + init_request.feeds.len());
    let naming =
        naming_updater(destination.updater, init_request.feeds.iter().map(|feed| feed.name.as_file_name()));
    let object = |name: &FileName| final_object((destination, naming), &init_request.metadata, name);
    for entry in &init_request.manifest {
        files.push(SessionFile {
            name: entry.name.clone(),
            object: object(&entry.name)?,
            length: entry.length,
            kind: SessionFileKind::Artifact(DeclaredDigests {
                md5: entry.md5.to_string(),
                sha256: entry.sha256.clone(),
                sha512: entry.sha512.clone(),
            }),
        });
    }
    for feed in &init_request.feeds {
        let name = feed.name.as_file_name();
        files.push(SessionFile {
            name: name.clone(),
            object: object(name)?,
            length: Some(feed.bytes.len() as u64),
            kind: SessionFileKind::Feed,
        });
    }
    Ok(files)
}

async fn store_feeds<P: Ports>(
    storage: &Storage<'_, P>,
    upload: &Id,
    feeds: Vec<InlineFeed>,
) -> Result<(), Failure> {
    for feed in feeds {
        storage
            .put(&staged_location(upload, feed.name.as_file_name())?, feed.bytes, PutOptions::default())
            .await?;
    }
    Ok(())
}
