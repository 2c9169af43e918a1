//! `POST /password`: people change their own passwords.

use http::StatusCode;
use spindrift_api::{MessageBody, PasswordBody};
use spindrift_auth::{AuthError, PasswordHash};
use spindrift_core::audit::AuditKind;
use spindrift_db::Audit;
use spindrift_db::users::{self, UserChange};
use spindrift_service::rate_limits::OnCounterFailure;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::requests::{LoginAttempt, Session};
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{ApiError, Request, Response, required};

use crate::audited;
use crate::credentials::{hash, parse_password};

/// Needs the current password, so that a stolen login does not become a stolen account. A wrong one counts
/// like a failed login.
pub(crate) async fn change<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    session.require_fresh_login()?;
    let body: PasswordBody = request.read_json(MAX_JSON_BYTES).await?;
    let current = required(body.current_password, "current_password")?;
    let password = parse_password(body.password)?;
    let (id, name) = session.principal.person()?;
    let stored = users::by_id(&session.conn, id)?.ok_or(ServiceError::from(AuthError::InvalidToken))?;
    let attempt = LoginAttempt::begin(ports, &request, name.as_str(), OnCounterFailure::Admit)?;
    if !PasswordHash::from_stored(stored.password_hash.as_str()).verify(&current) {
        return Err(ApiError::Forbidden("the current password is wrong".into()).into());
    }
    attempt.succeeded(ports);
    let password_hash = Some(hash(ports, &password)?.expose().to_owned());
    let change = UserChange { name: None, password_hash, permissions: None, end_logins: true };
    session.edit(|conn| {
        users::update(conn, id, &change, session.now)?;
        let entry = session.entry(AuditKind::UserPassword).of_object(id, name.as_str());
        let after = audited::changed_user(name, None, true, true);
        Ok::<_, Failure>(((), Audit::of_change(entry, audited::user(name, None), after)))
    })?;
    private_json(StatusCode::OK, &MessageBody { message: "Password changed".into() })
}
