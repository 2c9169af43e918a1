//! Recovery codes.

use http::StatusCode;
use spindrift_api::{ErrorCode, LoginAnswer, RecoveryBody, RecoveryCodesBody};
use spindrift_auth::{RECOVERY_CODES, RecoveryCode};
use spindrift_core::audit::{AuditKind, AuditOrigin};
use spindrift_db::passkeys;
use spindrift_db::users::UserWithPassword;
use spindrift_service::changes::edit;
use spindrift_service::rate_limits::OnCounterFailure;
use spindrift_service::requests::management::private_json;
use spindrift_service::requests::principal::actor_of;
use spindrift_service::requests::{LoginAttempt, Session, by_password, issue_login};
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Reason, Request, Response, required};

use super::MAX_BODY_BYTES;

pub(super) fn generate_codes(ports: &impl Ports) -> Vec<RecoveryCode> {
    (0..RECOVERY_CODES).map(|_| RecoveryCode::generate(ports.random_bytes())).collect()
}

/// Makes new codes, and ends all earlier ones.
pub(crate) fn new_codes<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    session.require_fresh_login()?;
    let (user, name) = session.principal.person()?;
    if !session.principal.proof.has_passkey {
        return Err(
            ApiError::Conflict("recovery codes stand in for passkeys: add a passkey first".into()).into()
        );
    }
    let codes = generate_codes(ports);
    let digests: Vec<String> = codes.iter().map(RecoveryCode::digest).collect();
    session.edit(|conn| {
        passkeys::replace_codes(conn, user, &digests)?;
        let entry = session.entry(AuditKind::RecoveryCodes).of_object(user, name.as_str());
        Ok::<_, Failure>(((), entry.into()))
    })?;
    let recovery_codes = codes.iter().map(RecoveryCode::expose).collect();
    private_json(StatusCode::OK, &RecoveryCodesBody { recovery_codes })
}

/// Logs in with the password and a recovery code in place of a passkey.
pub(crate) async fn recover<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let body: RecoveryBody = request.read_json(MAX_BODY_BYTES).await?;
    let username = required(body.username, "username")?;
    let password = required(body.password, "password")?;
    let code = required(body.code, "code")?;
    let attempt = LoginAttempt::begin(ports, &request, &username, OnCounterFailure::Refuse)?;
    let found = by_password(ports, (&username, &password)).map_err(Failure::from);
    let recovered = found.and_then(|user| {
        let user = user.filter(|user| !user.is_password_login_off).ok_or_else(wrong)?;
        use_code(ports, &request, (&user, &code))?;
        Ok(user)
    });
    let user = match recovered {
        Ok(user) => user,
        Err(failure) => {
            if !failure.is_of_caller() {
                attempt.take_back(ports);
            }
            return Err(failure);
        }
    };
    attempt.succeeded(ports);
    let token = issue_login(ports, &spindrift_db::open(ports, ports.now())?, &user)?;
    private_json(StatusCode::OK, &LoginAnswer { token })
}

fn wrong() -> Failure {
    let why = Reason::new(ErrorCode::WrongCredentials, "invalid username, password or recovery code");
    ApiError::Unauthorized(why).into()
}

fn use_code<P: Ports>(
    ports: &P,
    request: &Request,
    (user, code): (&UserWithPassword, &str),
) -> Result<(), Failure> {
    let code = RecoveryCode::parse(code).ok_or_else(wrong)?;
    let origin = AuditOrigin { actor: actor_of(&user.user), request_id: Some(request.context().id()) };
    let owner = user.user.owner_id();
    edit(ports, &spindrift_db::open(ports, ports.now())?, owner, |conn| {
        if !passkeys::use_code(conn, &user.user.id, &code.digest())? {
            return Err(wrong());
        }
        let entry = origin.entry(AuditKind::RecoveryLogin).of_object(&user.user.id, user.user.name.as_str());
        Ok(((), entry.into()))
    })
}
