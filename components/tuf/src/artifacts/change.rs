//! `/tuf/v1/artifacts/publish` and `/delete`: which files the service lists, where it signs targets.

use http::StatusCode;
use spindrift_api::{TargetsDeleteRequest, TargetsPublishRequest};
use spindrift_core::audit::AuditKind;
use spindrift_core::{Action, AppName, Artifact, Id, Release, Resource, Version};
use spindrift_db::changes::Subject;
use spindrift_db::{Audit, apps, artifacts, listings, release_places, releases, repositories};
use spindrift_repository::events::Task;
use spindrift_repository::{AppRepository, RepositoryError};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::MAX_JSON_BYTES;
use spindrift_service::{Failure, Ports, audit_entries};
use spindrift_trust::{RoleName, TargetName, TargetsSigner};
use spindrift_web::{ApiError, ErrorCode, Request, Response, parse_parameter};

use crate::render::task_started;

/// Lists the files of a published release.
pub(crate) async fn publish<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let body: TargetsPublishRequest = request.read_json(MAX_JSON_BYTES).await?;
    let version: Version = parse_parameter("version", &body.version)?;
    let app = apps::by_id(&session.conn, session.owner_id(), &body.app_id)?;
    let app = app.ok_or_else(|| ApiError::not_found("application"))?;
    let release = releases::by_version(&session.conn, &app.id, &version)?;
    let release = require(&session, &app.id, release)?;
    if !release.clone().as_of(session.now).flags.published {
        return Err(ApiError::Conflict("the release is not published".into()).into());
    }
    let all: Vec<Id> =
        artifacts::of_release(&session.conn, &release.id)?.into_iter().map(|artifact| artifact.id).collect();
    require_places(&session, &release, &all)?;
    change(&session, &release, all, false).await
}

/// Takes files of a release off the list.
pub(crate) async fn delete<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let body: TargetsDeleteRequest = request.read_json(MAX_JSON_BYTES).await?;
    let name: AppName = parse_parameter("app_name", &body.app_name)?;
    let version: Version = parse_parameter("version", &body.version)?;
    if body.artifacts_to_delete.is_empty() {
        return Err(ApiError::missing("artifacts_to_delete").into());
    }
    let app = apps::by_name(&session.conn, session.owner_id(), &name)?;
    let app = app.ok_or_else(|| ApiError::not_found("application"))?;
    let release = releases::by_id(&session.conn, session.owner_id(), &body.id)?;
    let release = release.filter(|release| release.app_id == app.id && release.version == version);
    let release = require(&session, &app.id, release)?;
    let (uploaded, copies) = artifacts::with_copies(&session.conn, &release.id)?;
    let named = body.artifacts_to_delete.iter().map(|name| {
        let found = uploaded.iter().chain(&copies).find(|artifact| is_called(artifact, name));
        found.map(|artifact| artifact.id.clone()).ok_or_else(|| ApiError::not_found("artifact"))
    });
    let named = named.collect::<Result<Vec<_>, _>>()?;
    require_places(&session, &release, &named)?;
    change(&session, &release, named, true).await
}

/// 403 unless the caller may change something in the places of these artifacts.
fn require_places(
    session: &Session<'_, impl Ports>,
    release: &Release,
    artifacts: &[Id],
) -> Result<(), Failure> {
    let mut places = release_places::of_artifacts(&session.conn, release, artifacts)?;
    places.extend(release_places::further_channels(&session.conn, release)?);
    Ok(session.require_in(Action::Edit(Resource::App), &release.app_id, &places)?)
}

/// Whether `name` is the artifact's id, or its name in lists.
fn is_called(artifact: &Artifact, name: &str) -> bool {
    artifact.id.as_str() == name
        || TargetName::of_key(&artifact.object.key).is_some_and(|target| target.as_str() == name)
}

/// 403 without the permission, 404 without the repository or the release, 409 where a publisher signs
/// targets.
fn require(
    session: &Session<'_, impl Ports>,
    app: &Id,
    release: Option<Release>,
) -> Result<Release, Failure> {
    session.require(Action::Edit(Resource::App), Some(app))?;
    if !repositories::exists(&session.conn, app)? {
        return Err(RepositoryError::NoRepository.into());
    }
    let release = release.ok_or_else(|| ApiError::not_found("release"))?;
    match AppRepository::of(session, app).targets_signer()? {
        Some(TargetsSigner::Service) => Ok(release),
        None => Err(RepositoryError::NoRootYet.into()),
        Some(TargetsSigner::Publisher) => {
            let text = "targets are signed by the publisher";
            Err(ApiError::conflict(ErrorCode::SignedByPublisher, text).into())
        }
    }
}

/// 202 if this makes a new list current, 200 if there is nothing to do.
async fn change(
    session: &Session<'_, impl Ports>,
    release: &Release,
    artifacts: Vec<Id>,
    is_left_out: bool,
) -> Result<Response, Failure> {
    let app = &release.app_id;
    let kind = if is_left_out { AuditKind::ArtifactUnlist } else { AuditKind::ArtifactList };
    let subject = Subject::Release(app, &release.version);
    session
        .commit(subject, |conn| {
            if !listings::leave_out(conn, &artifacts, is_left_out)? {
                return Ok(((), Audit::Unchanged));
            }
            Ok::<_, Failure>(((), audit_entries::of_release(conn, session.entry(kind), release)?.into()))
        })
        .await?;
    if let Some(new) = AppRepository::of(session, app).sync_targets().await? {
        return task_started(StatusCode::ACCEPTED, new);
    }
    let current = Task::of_current(&session.conn, app, &RoleName::Targets)?;
    let current = current.ok_or(RepositoryError::NoTargetsYet)?;
    task_started(StatusCode::OK, Task { message: "Nothing is to be signed".to_owned(), ..current })
}
