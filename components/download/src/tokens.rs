//! `GET /download-tokens/list` and `POST /download-tokens/regenerate`. A user who may edit an application may
//! list its tokens and create new ones.

use http::StatusCode;
use spindrift_api::{DownloadTokenBody, DownloadTokenEntry, DownloadTokensBody, RegenerateDownloadTokenBody};
use spindrift_auth::DownloadToken;
use spindrift_core::audit::AuditKind;
use spindrift_core::{Action, Id, Resource};
use spindrift_db::apps;
use spindrift_db::dimensions::{self, Kind};
use spindrift_db::download_tokens::{self, DownloadTokenRow, NewDownloadToken};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request, Response, required};

/// The permission needed on the application.
const ACTION: Action = Action::Edit(Resource::App);

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let download_tokens = download_tokens::of_owner(&session.conn, session.owner_id())?
        .into_iter()
        .filter(|token| session.may(ACTION, Some(&token.app.0)))
        .map(entry)
        .collect();
    private_json(StatusCode::OK, &DownloadTokensBody { download_tokens })
}

fn entry(token: DownloadTokenRow) -> DownloadTokenEntry {
    let (app_id, app_name) = token.app;
    let (channel_id, channel_name) = token.channel.unzip();
    DownloadTokenEntry {
        id: token.id,
        app_id,
        app_name: app_name.into(),
        channel_id,
        channel_name: channel_name.map(Into::into),
        token_prefix: token.prefix,
        updated_at: token.updated_at.to_rfc3339(),
    }
}

pub(crate) async fn regenerate<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let body: RegenerateDownloadTokenBody = request.read_json(MAX_JSON_BYTES).await?;
    let app_id = Id::from_text(required(body.app_id, "app_id")?);
    let channel_id = body.channel_id.filter(|id| !id.is_empty()).map(Id::from_text);
    let token = DownloadToken::generate(ports.random_bytes());
    let owner = session.owner_id();
    session.edit(|conn| {
        let app = apps::by_id(conn, owner, &app_id)?.ok_or_else(|| ApiError::not_found("application"))?;
        let mut entry = session.entry(AuditKind::DownloadTokenReplace).of_app(&app.id, &app.name);
        if let Some(id) = &channel_id {
            let channel = dimensions::by_id(conn, Kind::Channel, owner, id)?;
            entry.channel = Some(channel.ok_or_else(|| ApiError::not_found("channel"))?.name);
        }
        session.require(ACTION, Some(&app_id))?;
        let new = NewDownloadToken {
            id: &ports.new_id(),
            app: &app_id,
            channel: channel_id.as_ref(),
            digest: &token.digest(),
            prefix: token.prefix(),
        };
        download_tokens::replace(conn, &new, session.now)?;
        Ok::<_, Failure>(((), entry.into()))
    })?;
    let token = token.expose().to_owned();
    private_json(StatusCode::OK, &DownloadTokenBody { app_id, channel_id, token })
}
