//! `POST /apps/update`: changes how a release is offered, and which files it has, all or nothing.

use http::StatusCode;
use spindrift_core::{Action, Id, Release, Resource, Scope};
use spindrift_db::scopes::ScopesOf;
use spindrift_db::{in_transaction, releases};
use spindrift_publish::place;
use spindrift_publish::streamed::{Upload, take};
use spindrift_service::objects::Doomed;
use spindrift_service::principal::{Principal, authenticate_user};
use spindrift_service::{Failure, Ports, scopes, static_answers};
use spindrift_web::{ApiError, Request, Response, response};

use crate::delete;
use crate::request::{Added, UpdateRequest};

/// The scopes that a change concerns, and the objects that nobody names any more.
type Changed = (Vec<Scope>, Doomed);

pub(crate) async fn update<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let principal = authenticate_user(ports, &conn, &request)?;
    let (asked, added) = UpdateRequest::read(request).await?;
    let release = releases::by_id(&conn, &principal.owner_id, &asked.id)?
        .ok_or_else(|| ApiError::not_found("release"))?;
    principal.require(Action::Edit(Resource::App), Some(&release.app_id))?;
    if !asked.artifacts_to_delete.is_empty() {
        principal.require(Action::Delete(Resource::App), Some(&release.app_id))?;
    }
    let (affected, doomed) = match added {
        Some(added) => change_with_files(ports, &conn, &principal, (&release, &asked), added).await?,
        None => in_transaction(&conn, |conn| {
            let changed = change(ports, conn, &release, &asked)?;
            static_answers::release_changed(conn, &release.id, ports.now())?;
            spindrift_db::scopes::bump_revision(conn, &principal.owner_id, ports.now())?;
            Ok::<_, Failure>(changed)
        })?,
    };
    scopes::refresh(ports, &conn, &principal.owner, &affected).await?;
    delete::remove_objects(ports, &conn, &doomed).await?;
    Ok(response::json(StatusCode::OK, &serde_json::json!({ "updatedResult.Updated": true }))?)
}

/// In a transaction.
fn change<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    release: &Release,
    asked: &UpdateRequest,
) -> Result<Changed, Failure> {
    let affected = scopes::affected(conn, ScopesOf::Release(&release.id))?;
    let doomed = delete::remove_artifacts(ports, conn, &release.id, &asked.artifacts_to_delete)?;
    releases::update(conn, &release.id, &asked.change, ports.now())?;
    Ok((affected, doomed))
}

/// The files are recorded in the transaction of the change.
async fn change_with_files<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    principal: &Principal,
    (release, asked): (&Release, &UpdateRequest),
    added: Added,
) -> Result<Changed, Failure> {
    let Added { metadata, files } = added;
    let place = &place::find(conn, principal, &metadata)?;
    let is_there = place.app_id == release.app_id
        && place.target.channel_id == release.channel_id
        && metadata.version == release.version;
    if !is_there {
        return Err(
            ApiError::bad_request("app_name, version and channel must be those of the release").into()
        );
    }
    delete::check_artifacts(ports, conn, &release.id, &asked.artifacts_to_delete)?;
    let upload = Upload { principal, metadata: &metadata, place };
    let along = |conn: &P::Conn, id: Option<&Id>| {
        if id != Some(&release.id) {
            return Err(ApiError::not_found("release").into());
        }
        change(ports, conn, release, asked)
    };
    let (_, changed) = take(ports, conn, upload, files, along).await?;
    Ok(changed)
}
