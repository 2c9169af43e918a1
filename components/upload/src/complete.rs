//! `POST /upload/complete`.
//!
//! Every step can be repeated, and the process may end between any two of them:
//!
//! 1. look at the staged objects,
//! 2. claim the final keys,
//! 3. copy,
//! 4. record artifacts and the session's state in one transaction,
//! 5. delete staged objects, refresh what checks answer from.
//!
//! Before step 4 nothing is visible; after it the release is whole, and a repeated call only does step 5.

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use http::StatusCode;
use spindrift_core::{Id, SessionState, UploadSession};
use spindrift_db::scopes::ScopesOf;
use spindrift_db::{lookups, uploads};
use spindrift_service::objects::location;
use spindrift_service::principal::{Principal, authenticate};
use spindrift_service::staging::staged;
use spindrift_service::{Failure, Ports, scopes, settings};
use spindrift_storage::{Storage, StorageError};
use spindrift_web::{ApiError, Request, Response, response};

use crate::record::{claim, record};
use crate::request::read_upload_id;
use crate::{feeds, place, verify};

/// Copies and deletions that run at the same time.
pub(crate) const CONCURRENT_CALLS: usize = 8;

pub(crate) async fn complete<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let principal = authenticate(ports, &conn, &request)?;
    let id = read_upload_id(request).await?;
    let session = load(&conn, &principal, &id)?;
    let config = settings::storage(ports)?;
    let storage = Storage::new(&config, ports, || ports.now());
    let release = match recorded(&session.state) {
        Some(release) => release,
        None => match finish_staged(ports, &conn, &storage, &session).await {
            Ok(release) => release,
            // Another call for the same session may have finished meanwhile, and taken the staged objects away.
            Err(failure) => match recorded(&load(&conn, &principal, &id)?.state) {
                Some(release) => release,
                None => return Err(failure),
            },
        },
    };
    if !matches!(session.state, SessionState::Finished(_)) {
        clean_up(ports, &conn, &storage, &session, &release).await?;
    }
    uploaded(&release)
}

/// The answer of both ways to upload.
pub(crate) fn uploaded(release: &Id) -> Result<Response, Failure> {
    let body = serde_json::json!({ "uploadResult.Uploaded": release.as_str() });
    Ok(response::json(StatusCode::OK, &body)?)
}

fn recorded(state: &SessionState) -> Option<Id> {
    match state {
        SessionState::Staged | SessionState::Expired => None,
        SessionState::Recorded(release) | SessionState::Finished(release) => Some(release.clone()),
    }
}

/// The session, for who started it or that owner's admin, who must still be allowed to upload there.
fn load<C: spindrift_db::SqlConn>(
    conn: &C,
    principal: &Principal,
    id: &Id,
) -> Result<UploadSession, Failure> {
    let session = uploads::by_id(conn, id)?
        .filter(|session| session.owner_id == principal.owner_id)
        .ok_or_else(|| ApiError::not_found("upload"))?;
    if session.started_by != principal.identity && !principal.is_admin() {
        return Err(ApiError::Forbidden("the upload was started by somebody else".into()).into());
    }
    place::require_upload(principal, &session.app_id, &session.target)?;
    Ok(session)
}

/// Steps 1 to 4.
async fn finish_staged<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &UploadSession,
) -> Result<Id, Failure> {
    if session.state == SessionState::Expired {
        return Err(verify::expired());
    }
    let app = lookups::app_by_id(conn, &session.owner_id, &session.app_id)?
        .ok_or_else(|| ApiError::not_found("application"))?;
    let digests = if app.flags.tuf { verify::required_digests(&session.files)? } else { Vec::new() };
    let sizes = verify::staged_objects(storage, session, ports.now()).await?;
    verify::contents(storage, &session.id, &digests).await?;
    publish_staged(ports, conn, storage, session, &sizes).await
}

/// Steps 2 to 4, for staged objects that are as they should be; `sizes` in bytes, in the order of the files.
pub(crate) async fn publish_staged<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &UploadSession,
    sizes: &[u64],
) -> Result<Id, Failure> {
    let feed = feeds::check_staged(ports, conn, storage, session, sizes).await?;
    claim(ports, conn, session)?;
    copy_all(storage, session).await?;
    record(ports, conn, session, sizes, feed.as_ref())
}

async fn copy_all<P: Ports>(storage: &Storage<'_, P>, session: &UploadSession) -> Result<(), Failure> {
    let mut copies = futures::stream::iter(&session.files)
        .map(async |file| {
            let (from, to) = (staged(&session.id, &file.name)?, location(&file.object)?);
            match storage.copy(&from, &to).await {
                Err(StorageError::NoSuchObject) => Err(verify::missing(&[&file.name])),
                result => Ok(result?),
            }
        })
        .buffer_unordered(CONCURRENT_CALLS);
    while let Some(result) = copies.next().await {
        result?;
    }
    Ok(())
}

/// Step 5. The release is recorded: a storage that fails here leaves staged objects, and the next call (or
/// maintenance) tries again.
pub(crate) async fn clean_up<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &UploadSession,
    release: &Id,
) -> Result<(), Failure> {
    let affected = scopes::affected(conn, ScopesOf::Release(release))?;
    scopes::refresh(ports, conn, &affected).await?;
    let deletions: FuturesUnordered<_> =
        session
            .files
            .iter()
            .map(|file| async move {
                storage.delete(&staged(&session.id, &file.name)?).await.map_err(Failure::from)
            })
            .collect();
    let results: Vec<Result<(), Failure>> = deletions.collect().await;
    if results.iter().all(Result::is_ok) {
        uploads::set_finished(conn, &session.id)?;
    }
    Ok(())
}

/// Who holds the claims of a session.
pub(crate) fn holder(session: &UploadSession) -> String {
    format!("upload:{}", session.id)
}
