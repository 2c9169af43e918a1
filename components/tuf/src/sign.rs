//! `/tuf/v1/metadata/sign`: metadata that lacks signatures.

use std::collections::BTreeMap;

use http::StatusCode;
use spindrift_api::{SignRequest, SignedFile, Staged, StagedBody, StagedDeleteRequest};
use spindrift_core::Action;
use spindrift_db::{repositories, repository_metadata, repository_staged};
use spindrift_repository::events::EventKind;
use spindrift_repository::{AppRepository, RepositoryError};
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::{Failure, Ports};
use spindrift_trust::{RoleName, Signature, TrustError};
use spindrift_web::{Request, Response};

use crate::caller::{app, app_name, cause};
use crate::render::{file, task_started};

pub(crate) fn pending<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let app = app(&session, &app_name(request)?, Action::Sign)?;
    if !repositories::exists(&session.conn, &app.id)? {
        return Err(RepositoryError::NoRepository.into());
    }
    let mut metadata: BTreeMap<String, SignedFile> = BTreeMap::new();
    for staged in repository_staged::of_app(&session.conn, &app.id)? {
        metadata.insert(staged.role, file(staged.content)?);
    }
    if metadata.is_empty() {
        let message = "No metadata pending signing available".to_owned();
        return private_json(StatusCode::OK, &StagedBody { data: None, message });
    }
    for role in ["root", "targets"] {
        if let Some(current) = repository_metadata::current(&session.conn, &app.id, role)? {
            metadata.insert(format!("trusted_{role}"), file(current.content)?);
        }
    }
    let message = "Metadata role(s) pending signing".to_owned();
    private_json(StatusCode::OK, &StagedBody { data: Some(Staged { metadata }), message })
}

pub(crate) async fn add<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let body: SignRequest = request.read_json(MAX_JSON_BYTES).await?;
    let role = parse_role(&body.role)?;
    let signature = body.signature;
    let keyid = signature.keyid.parse().ok();
    let signature = keyid.and_then(|keyid| Signature::from_hex(keyid, &signature.sig));
    let signature = signature.ok_or(RepositoryError::Trust(TrustError::Signature))?;
    let action = if role == RoleName::Root { Action::Administer } else { Action::Sign };
    let app = app(&session, &app_name(&request)?, action)?;
    let cause = cause(&session.principal, EventKind::SignMetadata);
    task_started(StatusCode::OK, AppRepository::of(&session, &app.id).sign(&role, signature, cause).await?)
}

pub(crate) async fn delete<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    let body: StagedDeleteRequest = request.read_json(MAX_JSON_BYTES).await?;
    let role = parse_role(&body.role)?;
    let app = app(&session, &app_name(&request)?, Action::Administer)?;
    let cause = cause(&session.principal, EventKind::StagedDelete);
    task_started(StatusCode::ACCEPTED, AppRepository::of(&session, &app.id).drop_staged(&role, cause).await?)
}

/// A role that is signed offline.
fn parse_role(text: &str) -> Result<RoleName, RepositoryError> {
    match text.parse() {
        Ok(role @ (RoleName::Root | RoleName::Targets | RoleName::Channel(_))) => Ok(role),
        _ => Err(TrustError::Metadata("no role that is signed offline".into()).into()),
    }
}
