//! New passkeys.

use http::StatusCode;
use spindrift_api::{ErrorCode, PasskeyCreateBody, PasskeyCreatedBody, PasskeyNewBody};
use spindrift_auth::{ChallengePurpose, PasswordHash, RecoveryCode};
use spindrift_core::audit::AuditKind;
use spindrift_core::{MAX_PASSKEY_NAME_CHARS, MAX_PASSKEYS, Passkey};
use spindrift_db::{logins, passkeys, users};
use spindrift_service::rate_limits::OnCounterFailure;
use spindrift_service::requests::management::private_json;
use spindrift_service::requests::{LoginAttempt, Session};
use spindrift_service::{Failure, Ports, ServiceError};
use spindrift_web::{ApiError, Request, Response, required};

use super::recovery::generate_codes;
use super::{MAX_BODY_BYTES, credential_json, list, use_up};

/// The first passkey needs the password again, so that a stolen login does not become a stolen account. Further
/// ones need a fresh proof with an earlier one.
pub(crate) async fn ask_for_new<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_before_passkey(ports, &request)?;
    session.require_fresh_login()?;
    let body: PasskeyNewBody = request.read_json(MAX_BODY_BYTES).await?;
    let (user, name) = session.principal.person()?;
    let known = passkeys::of_user(&session.conn, user)?;
    if known.len() >= MAX_PASSKEYS {
        return Err(ApiError::Conflict(format!("a user has at most {MAX_PASSKEYS} passkeys").into()).into());
    }
    if known.is_empty() {
        require_password(&session, &request, body.password)?;
    }
    private_json(StatusCode::OK, &spindrift_service::passkeys::ask_for_new(ports, (user, name), &known)?)
}

fn require_password<P: Ports>(
    session: &Session<'_, P>,
    request: &Request,
    password: Option<String>,
) -> Result<(), Failure> {
    let (user, name) = session.principal.person()?;
    let stored = users::by_id(&session.conn, user)?.ok_or_else(|| ApiError::not_found("user"))?;
    if stored.password_hash.is_empty() {
        // Somebody who has only ever signed in at the provider proves it by doing so again.
        return Ok(session.require_recent_login()?);
    }
    let password = required(password, "password")?;
    let attempt = LoginAttempt::begin(session.ports, request, name.as_str(), OnCounterFailure::Admit)?;
    if !PasswordHash::from_stored(stored.password_hash).verify(&password) {
        return Err(ApiError::Forbidden("the password is wrong".into()).into());
    }
    attempt.succeeded(session.ports);
    Ok(())
}

/// The first passkey comes with recovery codes, and this login has proved it.
pub(crate) async fn create<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_before_passkey(ports, &request)?;
    let body: PasskeyCreateBody = request.read_json(MAX_BODY_BYTES).await?;
    let name = passkey_name(&required(body.name, "name")?)?;
    let (user, _) = session.principal.person()?;
    let sealed = required(body.challenge, "challenge")?;
    let challenge = spindrift_service::passkeys::open(ports, &sealed, ChallengePurpose::Register)?;
    let answer = credential_json(body.credential)?;
    if challenge.user.as_ref() != Some(user) {
        return Err(ServiceError::from(spindrift_auth::PasskeyError::NoChallenge).into());
    }
    let state = challenge.state().map_err(ServiceError::from)?;
    let party = spindrift_service::passkeys::relying_party(ports)?;
    let key = party.accept_new(&state, &answer).map_err(ServiceError::from)?;
    let (user_id, created_at) = (user.clone(), session.now);
    let passkey = Passkey { id: ports.new_id(), user_id, name, key, created_at, last_used_at: None };
    let codes = generate_codes(ports);
    let is_first = session.edit(|conn| {
        use_up(conn, &challenge)?;
        let known = passkeys::of_user(conn, user)?;
        if known.len() >= MAX_PASSKEYS {
            let text = format!("a user has at most {MAX_PASSKEYS} passkeys");
            return Err(Failure::from(ApiError::Conflict(text.into())));
        }
        if passkeys::by_credential(conn, &passkey.key.credential_id)?.is_some() {
            return Err(
                ApiError::conflict(ErrorCode::AlreadyExists, "this passkey is registered already").into()
            );
        }
        passkeys::insert(conn, &passkey)?;
        if known.is_empty() {
            let digests: Vec<String> = codes.iter().map(RecoveryCode::digest).collect();
            passkeys::replace_codes(conn, user, &digests)?;
        }
        let entry = session.entry(AuditKind::PasskeyCreate).of_object(&passkey.id, passkey.name.as_str());
        Ok((known.is_empty(), entry.into()))
    })?;
    if let Some(login) = session.principal.credential.as_ref().filter(|_| is_first) {
        logins::record_proof(&session.conn, login, ports.now())?;
    }
    let codes = if is_first { codes.iter().map(RecoveryCode::expose).collect() } else { Vec::new() };
    let body = PasskeyCreatedBody { passkey: list::entry(&passkey), recovery_codes: codes };
    private_json(StatusCode::CREATED, &body)
}

fn passkey_name(text: &str) -> Result<String, ApiError> {
    let name = text.trim();
    let length = name.chars().count();
    if (1..=MAX_PASSKEY_NAME_CHARS).contains(&length) && !name.chars().any(char::is_control) {
        Ok(name.to_owned())
    } else {
        Err(ApiError::invalid("name", &format!("1 to {MAX_PASSKEY_NAME_CHARS} characters"), Some(text)))
    }
}
