//! Logins with a passkey, alone or after the password.

use http::StatusCode;
use spindrift_api::{LoginAnswer, PasskeyAnswerBody};
use spindrift_auth::ChallengePurpose;
use spindrift_service::rate_limits::{OnCounterFailure, admit, failed_attempts};
use spindrift_service::requests::management::private_json;
use spindrift_service::requests::{client_address, issue_login};
use spindrift_service::{Failure, Ports, passkeys};
use spindrift_settings::LOGIN_FAILURES_PER_ADDRESS;
use spindrift_web::{ApiError, Request, Response};

use super::{MAX_BODY_BYTES, verify};

pub(crate) fn ask_for_login<P: Ports>(ports: &P) -> Result<Response, Failure> {
    private_json(StatusCode::OK, &passkeys::ask(ports, ChallengePurpose::Login, None)?)
}

/// Failures count against the address, as those of passwords do.
pub(crate) async fn log_in<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let body: PasskeyAnswerBody = request.read_json(MAX_BODY_BYTES).await?;
    let limits = failed_attempts(client_address(ports, &request)?, LOGIN_FAILURES_PER_ADDRESS.read(ports)?);
    let attempt = admit(ports, &limits, ports.now(), OnCounterFailure::Admit)?;
    let logged_in = answer(ports, &request, body);
    if !logged_in.as_ref().is_err_and(Failure::is_of_caller) {
        attempt.refund(ports);
    }
    private_json(StatusCode::OK, &logged_in?)
}

fn answer<P: Ports>(ports: &P, request: &Request, body: PasskeyAnswerBody) -> Result<LoginAnswer, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let user = verify(ports, &conn, request, (body, ChallengePurpose::Login, None)).map_err(as_login)?;
    Ok(LoginAnswer { token: issue_login(ports, &conn, &user)? })
}

/// The caller has no login yet, so a refused passkey is a 401.
fn as_login(failure: Failure) -> Failure {
    match failure {
        Failure::Api(ApiError::Forbidden(why)) => ApiError::Unauthorized(why).into(),
        other => other,
    }
}
