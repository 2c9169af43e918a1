//! Logins of programs that have no browser ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)).

use base16ct::lower::encode_string as hex;
use http::StatusCode;
use sha2::{Digest as _, Sha256};
use spindrift_api::{
    DeviceAnswerBody, DeviceBody, DeviceCodeAnswer, DeviceCodeBody, DeviceTokenBody, ErrorCode, LoginAnswer,
    MessageBody,
};
use spindrift_core::audit::AuditKind;
use spindrift_core::{
    DEVICE_LOGIN_SECONDS, DEVICE_POLL_SECONDS, DeviceLogin, DeviceLoginState, DevicePoll, Id,
    MAX_MACHINE_CHARS, UserCode,
};
use spindrift_db::{SqlConn, device_logins, users};
use spindrift_service::rate_limits::{OnCounterFailure, admit, failed_attempts};
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::requests::{Session, client_address, issue_login};
use spindrift_service::{Failure, Ports, settings};
use spindrift_settings::LOGIN_FAILURES_PER_ADDRESS;
use spindrift_web::{ApiError, Reason, Request, Response, parse_parameter, required};

/// Random bytes of a device code.
const CODE_BYTES: usize = 32;

/// Begins a login. It counts against the address like a failed login, because it is stored until it expires.
pub(crate) async fn begin<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let body: DeviceCodeBody = request.read_json(MAX_JSON_BYTES).await?;
    let address = client_address(ports, &request)?;
    let limits = failed_attempts(address, LOGIN_FAILURES_PER_ADDRESS.read(ports)?);
    admit(ports, &limits, ports.now(), OnCounterFailure::Refuse)?;
    let device_code = hex(&ports.random_bytes::<CODE_BYTES>());
    let machine = body.machine.unwrap_or_default();
    let plain = machine.chars().filter(|c| !c.is_control()).take(MAX_MACHINE_CHARS);
    let now = ports.now();
    let login = DeviceLogin {
        user_code: UserCode::generate(ports.random_bytes()),
        machine: plain.collect(),
        address: address.map(|address| address.ip().to_string()).unwrap_or_default(),
        created_at: now,
        expires_at: now.plus_seconds(DEVICE_LOGIN_SECONDS),
        polled_at: None,
        state: DeviceLoginState::Waiting,
    };
    device_logins::insert(&spindrift_db::open(ports, now)?, &digest(&device_code), &login)?;
    let page = format!("{}/console/device", settings::api_url(ports)?);
    private_json(
        StatusCode::OK,
        &DeviceCodeAnswer {
            device_code,
            user_code: login.user_code.to_string(),
            verification_uri_complete: format!("{page}?code={}", login.user_code),
            verification_uri: page,
            expires_in: DEVICE_LOGIN_SECONDS,
            interval: DEVICE_POLL_SECONDS,
        },
    )
}

fn digest(device_code: &str) -> String {
    hex(&Sha256::digest(device_code))
}

/// The login, if a person has allowed it.
pub(crate) async fn token<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let body: DeviceTokenBody = request.read_json(MAX_JSON_BYTES).await?;
    let digest = digest(&required(body.device_code, "device_code")?);
    let now = ports.now();
    let conn = spindrift_db::open(ports, now)?;
    let poll = device_logins::by_digest(&conn, &digest)?.map_or(DevicePoll::Expired, |login| login.poll(now));
    let (code, text) = match poll {
        DevicePoll::Allowed(user) => return finish(ports, &conn, (&digest, &user)),
        DevicePoll::Pending => {
            device_logins::record_poll(&conn, &digest, now)?;
            (ErrorCode::AuthorizationPending, "nobody has allowed this login yet")
        }
        DevicePoll::SlowDown => (ErrorCode::SlowDown, "ask every five seconds, not more often"),
        DevicePoll::Expired => (ErrorCode::ExpiredToken, "this login has expired: begin again"),
        DevicePoll::Denied => (ErrorCode::AccessDenied, "this login was refused"),
    };
    Err(ApiError::BadRequest(Reason::new(code, text)).into())
}

fn finish<P: Ports>(ports: &P, conn: &P::Conn, (digest, user): (&str, &Id)) -> Result<Response, Failure> {
    let expired =
        || ApiError::BadRequest(Reason::new(ErrorCode::ExpiredToken, "this login was used: begin again"));
    if !device_logins::take(conn, digest)? {
        return Err(expired().into());
    }
    let user = users::by_id(conn, user)?.ok_or_else(expired)?;
    private_json(StatusCode::OK, &LoginAnswer { token: issue_login(ports, conn, &user)? })
}

/// The program that waits with this code, for the person who decides.
pub(crate) fn show<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let code: UserCode = request.query()?.required("user_code")?;
    let waiting = look_up(&session, request, &code)?;
    private_json(
        StatusCode::OK,
        &DeviceBody {
            user_code: code.to_string(),
            machine: waiting.machine,
            address: Some(waiting.address).filter(|address| !address.is_empty()),
            created_at: waiting.created_at.to_rfc3339(),
            expires_at: waiting.expires_at.to_rfc3339(),
        },
    )
}

/// Like [`waiting`]. A code that does not exist counts against the address like a failed login.
fn look_up<P: Ports>(
    session: &Session<'_, P>,
    request: &Request,
    code: &UserCode,
) -> Result<DeviceLogin, Failure> {
    let ports = session.ports;
    let limits = failed_attempts(client_address(ports, request)?, LOGIN_FAILURES_PER_ADDRESS.read(ports)?);
    let attempt = admit(ports, &limits, ports.now(), OnCounterFailure::Admit)?;
    let found = waiting(session, &session.conn, code);
    if !found.as_ref().is_err_and(Failure::is_of_caller) {
        attempt.refund(ports);
    }
    found
}

/// The login with this code, if a person can still answer it.
fn waiting<P: Ports>(
    session: &Session<'_, P>,
    conn: &impl SqlConn,
    code: &UserCode,
) -> Result<DeviceLogin, Failure> {
    let found = device_logins::by_user_code(conn, code)?;
    let found =
        found.filter(|login| login.state == DeviceLoginState::Waiting && session.now < login.expires_at);
    let text = "no program waits with this code: it has expired, or was answered";
    Ok(found.ok_or_else(|| ApiError::NotFound(text.into()))?)
}

/// The person's answer. The program acts as that person from then on.
pub(crate) async fn answer<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let body: DeviceAnswerBody = request.read_json(MAX_JSON_BYTES).await?;
    let code: UserCode = parse_parameter("user_code", &required(body.user_code, "user_code")?)?;
    let allow = body.allow.ok_or_else(|| ApiError::missing("allow"))?;
    let (user, _) = session.principal.person()?;
    let answered = || ApiError::NotFound("somebody has answered this program before".into());
    look_up(&session, &request, &code)?;
    if !allow {
        if !device_logins::deny(&session.conn, &code)? {
            return Err(answered().into());
        }
        return private_json(StatusCode::OK, &MessageBody { message: "Refused".into() });
    }
    session.require_fresh_login()?;
    session.edit(|conn| {
        let login = waiting(&session, conn, &code)?;
        if !device_logins::allow(conn, &code, user)? {
            return Err(answered().into());
        }
        let machine = if login.machine.is_empty() { "a program" } else { login.machine.as_str() };
        let entry = session.entry(AuditKind::DeviceAllow).of_object(user, machine);
        let from = serde_json::json!({ "machine": login.machine, "address": login.address });
        Ok::<_, Failure>(((), entry.adding(from).into()))
    })?;
    private_json(StatusCode::OK, &MessageBody { message: "Allowed".into() })
}
