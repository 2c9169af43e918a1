//! The caller's own logins: listing them, and ending them.

use http::StatusCode;
use spindrift_api::{LoginEntry, LoginsBody, MessageBody};
use spindrift_core::audit::AuditKind;
use spindrift_core::{Id, Login, Timestamp};
use spindrift_db::logins;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request, Response};

use crate::target::read_id;

fn message(text: &'static str) -> Result<Response, Failure> {
    private_json(StatusCode::OK, &MessageBody { message: text.into() })
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let (user, _) = session.principal.person()?;
    let current = session.principal.credential.as_ref();
    let logins = logins::list(&session.conn, user, session.now)?;
    let logins = logins.into_iter().map(|login| entry(login, current)).collect();
    private_json(StatusCode::OK, &LoginsBody { logins })
}

fn entry(login: Login, current: Option<&Id>) -> LoginEntry {
    LoginEntry {
        is_current: current == Some(&login.id),
        id: login.id,
        created_at: login.created_at.to_rfc3339(),
        last_used_at: login.last_used_at.map(Timestamp::to_rfc3339),
        expires_at: login.expires_at.to_rfc3339(),
    }
}

pub(crate) async fn end<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let id = read_id(request).await?;
    let (user, name) = session.principal.person()?;
    session.edit(|conn| {
        if !logins::end(conn, user, &id)? {
            return Err(Failure::from(ApiError::not_found("login")));
        }
        Ok(((), session.entry(AuditKind::LoginEnd).of_object(user, name.as_str()).into()))
    })?;
    message("Login ended")
}

/// Ends the login of this call. A JWT that names no login stays valid until it expires.
pub(crate) fn log_out<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_before_passkey(ports, request)?;
    if let Some(login) = &session.principal.credential {
        logins::end(&session.conn, session.principal.person()?.0, login)?;
    }
    message("Logged out")
}

/// Ends all logins of the caller but the one of this call.
pub(crate) fn end_others<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let (user, name) = session.principal.person()?;
    session.edit(|conn| {
        logins::end_others(conn, user, session.principal.credential.as_ref())?;
        let entry = session.entry(AuditKind::LoginEnd).of_object(user, name.as_str());
        Ok::<_, Failure>(((), entry.into()))
    })?;
    message("All other logins ended")
}
