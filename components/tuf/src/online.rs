//! `/tuf/v1/metadata/online` and `/tuf/v1/bootstrap/recovery`: work that the service also does by itself,
//! done now.

use http::StatusCode;
use spindrift_api::{OnlineRequest, RepositoryRequest};
use spindrift_core::{Action, AppName, quoted};
use spindrift_repository::AppRepository;
use spindrift_repository::events::EventKind;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::MAX_JSON_BYTES;
use spindrift_service::{Failure, Ports};
use spindrift_trust::RoleName;
use spindrift_web::{ApiError, Request, Response, parse_parameter};

use crate::caller::{app, app_name, cause};
use crate::render::task_started;

pub(crate) async fn online<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    let body: OnlineRequest = request.read_json(MAX_JSON_BYTES).await?;
    let roles = body.roles.map(|roles| roles.iter().map(|role| parse(role)).collect::<Result<Vec<_>, _>>());
    let roles = roles.transpose()?;
    let app = app(&session, &app_name(&request)?, Action::Administer)?;
    let cause = cause(&session.principal, EventKind::OnlineUpdate);
    task_started(
        StatusCode::ACCEPTED,
        AppRepository::of(&session, &app.id).sign_again(roles.as_deref(), cause).await?,
    )
}

/// A role that the service may sign.
fn parse(role: &str) -> Result<RoleName, ApiError> {
    let parsed = role.parse().ok();
    let signed =
        |role: &RoleName| matches!(role, RoleName::Targets | RoleName::Snapshot | RoleName::Timestamp);
    let refused = || format!("invalid roles: targets, snapshot and timestamp, not {}", quoted(role));
    parsed.filter(signed).ok_or_else(|| ApiError::bad_request(refused()))
}

pub(crate) async fn recovery<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    let body: RepositoryRequest = request.read_json(MAX_JSON_BYTES).await?;
    let name: AppName = parse_parameter("appName", &body.app_name)?;
    let app = app(&session, &name, Action::Administer)?;
    task_started(
        StatusCode::ACCEPTED,
        AppRepository::of(&session, &app.id).recover(cause(&session.principal, EventKind::Recovery)).await?,
    )
}
