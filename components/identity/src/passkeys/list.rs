//! The caller's passkeys.

use http::StatusCode;
use spindrift_api::{ErrorCode, MessageBody, PasskeyEntry, PasskeysBody};
use spindrift_core::audit::AuditKind;
use spindrift_core::{Passkey, Timestamp};
use spindrift_db::passkeys;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{private_json, query_id};
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request, Response};

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_before_passkey(ports, request)?;
    let (user, _) = session.principal.person()?;
    let body = PasskeysBody {
        passkeys: passkeys::of_user(&session.conn, user)?.iter().map(entry).collect(),
        recovery_codes: passkeys::count_codes(&session.conn, user)?,
        required: is_required(&session)?,
    };
    private_json(StatusCode::OK, &body)
}

/// Whether the owner demands passkeys of the team that the caller belongs to or leads.
fn is_required<P: Ports>(session: &Session<'_, P>) -> Result<bool, Failure> {
    let is_admin = session.principal.is_admin();
    Ok(session.principal.proof.needs_passkey
        || is_admin && spindrift_db::users::are_passkeys_required(&session.conn, session.owner_id())?)
}

/// A passkey as its user sees it.
pub(super) fn entry(passkey: &Passkey) -> PasskeyEntry {
    PasskeyEntry {
        id: passkey.id.clone(),
        name: passkey.name.clone(),
        created_at: passkey.created_at.to_rfc3339(),
        last_used_at: passkey.last_used_at.map(Timestamp::to_rfc3339),
    }
}

/// The last passkey stays while the owner demands one, and while an owner demands them of the team.
pub(crate) fn delete<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    session.require_fresh_login()?;
    let id = query_id(request)?;
    let (user, _) = session.principal.person()?;
    session.edit(|conn| {
        let all = passkeys::of_user(conn, user)?;
        let passkey = all.iter().find(|one| one.id == id).ok_or_else(|| ApiError::not_found("passkey"))?;
        if all.len() == 1 && is_required(&session)? {
            let text = "this is your last passkey, and your team needs one: add another first";
            return Err(ApiError::conflict(ErrorCode::InUse, text).into());
        }
        passkeys::delete(conn, user, &id)?;
        let entry = session.entry(AuditKind::PasskeyDelete).of_object(&id, passkey.name.as_str());
        Ok::<_, Failure>(((), entry.into()))
    })?;
    private_json(StatusCode::OK, &MessageBody { message: "Passkey removed".into() })
}
