//! Fresh proofs by people who are logged in.

use http::StatusCode;
use spindrift_api::{MessageBody, PasskeyAnswerBody};
use spindrift_auth::ChallengePurpose;
use spindrift_db::logins;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports, passkeys};
use spindrift_web::{ApiError, Request, Response};

use super::{MAX_BODY_BYTES, verify};

pub(crate) fn ask_for_proof<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let (user, _) = session.principal.person()?;
    private_json(StatusCode::OK, &passkeys::ask(ports, ChallengePurpose::Proof, Some(user))?)
}

pub(crate) async fn prove<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, &request)?;
    let body: PasskeyAnswerBody = request.read_json(MAX_BODY_BYTES).await?;
    let (user, _) = session.principal.person()?;
    let Some(login) = &session.principal.credential else {
        return Err(ApiError::Conflict("this token belongs to no login: log in again".into()).into());
    };
    verify(ports, &session.conn, &request, (body, ChallengePurpose::Proof, Some(user)))?;
    logins::record_proof(&session.conn, login, ports.now())?;
    private_json(StatusCode::OK, &MessageBody { message: "Proved".into() })
}
