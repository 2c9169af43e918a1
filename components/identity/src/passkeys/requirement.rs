//! The demand of an owner that the team has passkeys.

use http::StatusCode;
use spindrift_api::{MessageBody, PasskeyRequirementBody};
use spindrift_core::audit::AuditKind;
use spindrift_db::users;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request, Response};

use super::MAX_BODY_BYTES;

/// The owner needs a passkey too: it is asked for when the demand is taken back.
pub(crate) async fn set_requirement<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    session.require_fresh_login()?;
    let body: PasskeyRequirementBody = request.read_json(MAX_BODY_BYTES).await?;
    let required = body.required.ok_or_else(|| ApiError::missing("required"))?;
    if required && !session.principal.proof.has_passkey {
        return Err(ApiError::Conflict("add a passkey to your own account first".into()).into());
    }
    let (user, name) = session.principal.person()?;
    session.edit(|conn| {
        users::require_passkeys(conn, user, required)?;
        let mut entry = session.entry(AuditKind::PasskeyDemand).of_object(user, name.as_str());
        entry = entry.adding(serde_json::json!({ "required": required }));
        Ok::<_, Failure>(((), entry.into()))
    })?;
    let message = if required { "The team needs passkeys now" } else { "The team needs no passkeys now" };
    private_json(StatusCode::OK, &MessageBody { message: message.into() })
}
