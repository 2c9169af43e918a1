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
    let conn = spindrift_db::open(ports, ports.now())?;
    let verified = verify(ports, &conn, &request, (body, ChallengePurpose::Login, None));
    if !verified.as_ref().is_err_and(Failure::is_of_caller) {
        attempt.refund(ports);
    }
    let user = verified.map_err(as_login)?;
    let token = issue_login(ports, &conn, &user)?;
    private_json(StatusCode::OK, &LoginAnswer { token })
}

/// Nobody is logged in yet, so a refused passkey is a 401.
fn as_login(failure: Failure) -> Failure {
    match failure {
        Failure::Api(ApiError::Forbidden(why)) => ApiError::Unauthorized(why).into(),
        other => other,
    }
}
