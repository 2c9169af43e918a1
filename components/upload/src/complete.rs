//! `POST /upload/complete`: checks the staged objects and publishes them. Every step can be repeated; see
//! [`spindrift_service::publish::finish`].

use http::StatusCode;
use spindrift_api::UploadedBody;
use spindrift_core::{Id, SessionState, UploadSession};
use spindrift_db::apps;
use spindrift_repository::sync_targets;
use spindrift_service::publish::finish::{DigestSource, PublishOutcome, PublishTerms, clean_up, publish};
use spindrift_service::requests::principal::{Principal, authenticate};
use spindrift_service::{Failure, Ports, settings};
use spindrift_storage::Storage;
use spindrift_web::{ApiError, Request, Response, response};

use crate::request::read_upload_id;
use crate::session::load;

pub(crate) async fn complete<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let principal = authenticate(ports, &conn, &request)?;
    let id = read_upload_id(request).await?;
    let mut session = load(&conn, &principal, &id)?;
    let config = settings::storage(ports)?;
    let storage = Storage::new(&config, ports, || ports.now());
    let (release, follow_up) = match recorded(&session.state) {
        Some(release) => (release, None),
        None => match finish_staged(ports, &conn, &storage, &principal, &mut session).await {
            Ok(done) => (done.release, Some(done.follow_up)),
            // In the meantime, another call for the same session may have finished and deleted the staged
            // objects.
            Err(failure) => match recorded(&load(&conn, &principal, &id)?.state) {
                Some(release) => (release, None),
                None => return Err(failure),
            },
        },
    };
    if !matches!(session.state, SessionState::Finished(_)) {
        clean_up(ports, &conn, &storage, &session, follow_up).await?;
    }
    // Also if the call is repeated, because signing may have failed the first time.
    sync_targets(ports, &conn, &session.app_id).await?;
    uploaded(&release)
}

/// The answer to both kinds of upload.
pub(crate) fn uploaded(release: &Id) -> Result<Response, Failure> {
    Ok(response::json(StatusCode::OK, &UploadedBody { release: release.clone() })?)
}

fn recorded(state: &SessionState) -> Option<Id> {
    match state {
        SessionState::Staged | SessionState::Expired => None,
        SessionState::Recorded(release) | SessionState::Finished(release) => Some(release.clone()),
    }
}

async fn finish_staged<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    principal: &Principal,
    session: &mut UploadSession,
) -> Result<PublishOutcome<()>, Failure> {
    let app = apps::by_id(conn, &session.owner_id, &session.app_id)?
        .ok_or_else(|| ApiError::not_found("application"))?;
    let digests = if app.flags.tuf { DigestSource::Compared } else { DigestSource::Declared };
    let terms = PublishTerms { digests, ..PublishTerms::by(principal) };
    publish(ports, conn, storage, session, terms, (async || Ok(()), |_, _| Ok(((), None)))).await
}
