//! `/tuf/v1/metadata`: the current metadata, and metadata that should become current.

use http::StatusCode;
use spindrift_api::{
    DelegatedBody, DelegatedRotateRequest, MetadataRequest, RootBody, SignedFile, TargetsBody,
    TrustedDelegated, TrustedRoot, TrustedTargets,
};
use spindrift_core::{Action, App};
use spindrift_db::{SqlConn, repositories, repository_metadata};
use spindrift_repository::events::EventKind;
use spindrift_repository::{AppRepository, RepositoryError};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports};
use spindrift_trust::{Proposal, RoleName, TrustError};
use spindrift_web::{ApiError, Request, Response};

use crate::caller::{MAX_BODY_BYTES, app, app_name, cause};
use crate::render::{file, task_started};

/// The roles that can be asked for by name.
const CHANNEL_ROLE: &str = "the role of a channel, like channel-stable";

/// The current file of a role. `None` if there is none. 404 without a repository.
fn current(conn: &impl SqlConn, app: &App, role: &RoleName) -> Result<Option<SignedFile>, Failure> {
    if !repositories::exists(conn, &app.id)? {
        return Err(RepositoryError::NoRepository.into());
    }
    let row = repository_metadata::current(conn, &app.id, &role.to_string())?;
    row.map(|row| file(row.content)).transpose()
}

fn read<P: Ports>(ports: &P, request: &Request) -> Result<(P::Conn, App), Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let app = app(&session, &app_name(request)?, Action::Sign)?;
    Ok((session.conn, app))
}

pub(crate) fn root<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let (conn, app) = read(ports, request)?;
    let trusted_root = current(&conn, &app, &RoleName::Root)?;
    private_json(StatusCode::OK, &RootBody { data: TrustedRoot { trusted_root } })
}

pub(crate) fn targets<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let (conn, app) = read(ports, request)?;
    let trusted_targets = current(&conn, &app, &RoleName::Targets)?;
    private_json(StatusCode::OK, &TargetsBody { data: TrustedTargets { trusted_targets } })
}

pub(crate) fn delegated<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let name = app_name(request)?;
    let query = request.query()?;
    let text = query.get("roleName").ok_or_else(|| ApiError::missing("roleName"))?;
    let role = text.parse::<RoleName>().ok().filter(|role| matches!(role, RoleName::Channel(_)));
    let role = role.ok_or_else(|| ApiError::invalid("roleName", CHANNEL_ROLE, Some(text)))?;
    let app = app(&session, &name, Action::Sign)?;
    let trusted_delegated = current(&session.conn, &app, &role)?;
    private_json(StatusCode::OK, &DelegatedBody { data: TrustedDelegated { trusted_delegated } })
}

pub(crate) async fn update<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let body: MetadataRequest = request.read_json(MAX_BODY_BYTES).await?;
    post_metadata(&session, &request, body).await
}

pub(crate) async fn rotate_delegated<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let body: DelegatedRotateRequest = request.read_json(MAX_BODY_BYTES).await?;
    if !matches!(body.role.parse(), Ok(RoleName::Channel(_))) {
        return Err(ApiError::bad_request(format!("invalid role: {CHANNEL_ROLE}")).into());
    }
    if body.delegator.is_some_and(|delegator| delegator != "targets") {
        return Err(ApiError::bad_request("invalid delegator: only targets").into());
    }
    let body = MetadataRequest { metadata: body.metadata, base: None };
    post_metadata(&session, &request, body).await
}

async fn post_metadata(
    session: &Session<'_, impl Ports>,
    request: &Request,
    body: MetadataRequest,
) -> Result<Response, Failure> {
    let files = body.metadata.iter().map(|(role, file)| (role.as_str(), file.0.get().as_bytes()));
    let proposal = Proposal::read(files).map_err(RepositoryError::from)?;
    if proposal.roles().next().is_none() {
        return Err(RepositoryError::Trust(TrustError::Metadata("no file".into())).into());
    }
    drop(body.metadata);
    // Root determines all other keys.
    let action = if proposal.root.is_some() { Action::Administer } else { Action::Sign };
    let app = app(session, &app_name(request)?, action)?;
    let cause = cause(&session.principal, EventKind::MetadataUpdate);
    task_started(StatusCode::OK, AppRepository::of(session, &app.id).post(proposal, body.base, cause).await?)
}
