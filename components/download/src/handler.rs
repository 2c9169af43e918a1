//! Parse, load, decide, render.

use http::header;
use spindrift_auth::AuthError;
use spindrift_core::{Action, DownloadMode, Gate, Shown, StoredObject, Visibility};
use spindrift_db::artifacts::{self, OwnedArtifact};
use spindrift_db::download_tokens;
use spindrift_service::answers::private_links::sent_token;
use spindrift_service::requests::principal::authenticate;
use spindrift_service::{Failure, Ports, settings};
use spindrift_web::{ApiError, Query, Request, Response};

use crate::link;

pub(crate) async fn download<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let query = request.query()?;
    let key = query.get("key").map(str::to_owned);
    let found = match key.clone() {
        Some(key) => artifacts::by_object(&conn, &StoredObject { bucket: Visibility::Private, key })?,
        None => None,
    };
    let of_app = found.as_ref().and_then(|found| found.download_mode);
    let mode = of_app.map_or_else(|| settings::default_download_mode(ports), Ok)?;
    let shown = Shown {
        token: mode == DownloadMode::Token && shows_token::<P>(&conn, found.as_ref(), request, &query)?,
        login: request.header(header::AUTHORIZATION.as_str()).is_some(),
    };
    let gate = mode.gate(found.as_ref().is_some_and(|found| found.published), shown);
    let principal = match gate {
        Gate::Open | Gate::NothingThere => None,
        Gate::Login => Some(authenticate(ports, &conn, request)?),
        Gate::Token => {
            return Err(ApiError::Unauthorized(AuthError::InvalidDownloadToken.to_string().into()).into());
        }
    };
    if key.is_none() {
        return Err(ApiError::missing("key").into());
    }
    let owned = found
        .filter(|_| gate != Gate::NothingThere)
        .filter(|found| principal.as_ref().is_none_or(|principal| found.owner_id == principal.owner_id))
        .ok_or_else(|| ApiError::not_found("artifact"))?;
    if let Some(principal) = principal {
        principal.require(Action::Download, Some(&owned.app_id))?;
    }
    let form = link::Form::asked(&query, request, mode);
    link::respond(ports, &owned, request.method(), form).await
}

/// Whether the request carries a valid download token for the file.
fn shows_token<P: Ports>(
    conn: &P::Conn,
    found: Option<&OwnedArtifact>,
    request: &Request,
    query: &Query,
) -> Result<bool, Failure> {
    let (Some(found), Some(token)) = (found, sent_token(request, query)) else { return Ok(false) };
    Ok(download_tokens::admits(conn, &token.digest(), &found.app_id, found.channel_id.as_ref())?)
}
