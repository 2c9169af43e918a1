//! `POST /apps/update`.

use http::StatusCode;
use spindrift_core::{Action, Resource};
use spindrift_db::scopes::ScopesOf;
use spindrift_db::{in_transaction, releases};
use spindrift_service::principal::authenticate_user;
use spindrift_service::{Failure, Ports, scopes};
use spindrift_web::{ApiError, Request, Response, response};

use crate::delete;
use crate::request::UpdateRequest;

pub(crate) async fn update<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let now = ports.now();
    let conn = spindrift_db::open(ports, now)?;
    let principal = authenticate_user(ports, &conn, &request)?;
    let asked = UpdateRequest::read(request).await?;
    let release = releases::by_id(&conn, &principal.owner_id, &asked.id)?
        .ok_or_else(|| ApiError::not_found("release"))?;
    principal.require(Action::Edit(Resource::App), Some(&release.app_id))?;
    if !asked.artifacts_to_delete.is_empty() {
        principal.require(Action::Delete(Resource::App), Some(&release.app_id))?;
    }
    let (affected, doomed) = in_transaction(&conn, |conn| {
        let affected = scopes::affected(conn, ScopesOf::Release(&release.id))?;
        let doomed = delete::remove_artifacts(ports, conn, &release.id, &asked.artifacts_to_delete)?;
        releases::update(conn, &release.id, &asked.change, now)?;
        spindrift_db::scopes::bump_revision(conn, &principal.owner_id)?;
        Ok::<_, Failure>((affected, doomed))
    })?;
    scopes::refresh(ports, &conn, &affected).await?;
    delete::remove_objects(ports, &conn, &doomed).await?;
    Ok(response::json(StatusCode::OK, &serde_json::json!({ "updatedResult.Updated": true }))?)
}
