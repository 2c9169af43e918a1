//! `POST /upload/complete`: checks the staged objects and publishes them. Every step can be repeated; see
//! [`spindrift_service::publish::finish`].

use http::StatusCode;
use spindrift_api::UploadedBody;
use spindrift_core::{Id, SessionState, UploadSession};
use spindrift_db::apps;
use spindrift_repository::AppRepository;
use spindrift_service::publish::finish::{DigestSource, PublishOutcome, PublishTerms, clean_up, publish};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports};
use spindrift_storage::Storage;
use spindrift_web::{ApiError, Request, Response, response};

use crate::request::read_upload_id;
use crate::upload_session::load;

pub(crate) async fn complete<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let id = read_upload_id(request).await?;
    let mut upload = load(&session.conn, &session.principal, &id)?;
    let storage = session.storage()?;
    let (release, follow_up) = match recorded(&upload.state) {
        Some(release) => (release, None),
        None => match finish_staged(&session, &storage, &mut upload).await {
            Ok(done) => (done.release, Some(done.follow_up)),
            // In the meantime, another call for the same session may have finished and deleted the staged
            // objects.
            Err(failure) => match recorded(&load(&session.conn, &session.principal, &id)?.state) {
                Some(release) => (release, None),
                None => return Err(failure),
            },
        },
    };
    if !matches!(upload.state, SessionState::Finished(_)) {
        clean_up(&session, &storage, &upload, follow_up).await?;
    }
    // Also if the call is repeated, because signing may have failed the first time.
    AppRepository::of(&session, &upload.app_id).sync_targets().await?;
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
    session: &Session<'_, P>,
    storage: &Storage<'_, P>,
    upload: &mut UploadSession,
) -> Result<PublishOutcome<()>, Failure> {
    let app = apps::by_id(&session.conn, &upload.owner_id, &upload.app_id)?
        .ok_or_else(|| ApiError::not_found("application"))?;
    let digests = if app.flags.tuf { DigestSource::Compared } else { DigestSource::Declared };
    let terms = PublishTerms { digests, ..PublishTerms::default() };
    publish(session, storage, upload, terms, (async || Ok(()), |_, _| Ok(((), None)))).await
}
