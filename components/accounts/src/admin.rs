//! `POST /admin/update`: changes an admin's own name and password.

use http::StatusCode;
use spindrift_api::{AdminUpdateBody, MessageBody, Switch};
use spindrift_core::audit::AuditKind;
use spindrift_core::cut_off::CatalogChange;
use spindrift_core::{Id, Timestamp, UserName};
use spindrift_db::apps::Usage;
use spindrift_db::changes::{self, Subject};
use spindrift_db::users::{self, UserChange};
use spindrift_db::{Audit, SqlConn};
use spindrift_service::changes::forget;
use spindrift_service::cut_off::{is_forced, require_nobody_cut_off};
use spindrift_service::records::known_names;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::{MAX_JSON_BYTES, private_json};
use spindrift_service::requests::principal::Principal;
use spindrift_service::{Failure, Ports, log};
use spindrift_web::{ApiError, ErrorCode, Request, Response, required};

use crate::audited;
use crate::credentials::{hash, parse_name, parse_new_password, require_free_name};

pub(crate) async fn update<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_as_admin(ports, &request)?;
    session.require_fresh_login()?;
    let in_query = is_forced(&request)?;
    let body: AdminUpdateBody = request.read_json(MAX_JSON_BYTES).await?;
    let is_forced = in_query || body.force.is_some_and(|Switch(on)| on);
    let id = Id::from_text(required(body.id, "id")?);
    // The current name is not a change. Writing it again could undo a rename that another call
    // makes in the meantime.
    let name = body.username.map(|name| parse_name(Some(name))).transpose()?;
    let name = name.filter(|name| *name != *session.owner());
    let password = parse_new_password(body.password)?;
    if id != *session.owner_id() {
        return Err(ApiError::Forbidden("only your own account can be changed".into()).into());
    }
    if let Some(name) = &name {
        require_free_name(&session.conn, name, Some(&id))?;
        require_nobody_cut_off(&session, &CatalogChange::Owner, is_forced)?;
    }
    let password_hash = password.map(|password| hash(ports, &password)).transpose()?;
    let password_hash = password_hash.map(|hash| hash.expose().to_owned());
    let end_logins = password_hash.is_some();
    let change = UserChange { name, password_hash, permissions: None, end_logins };
    let now = ports.now();
    if let Some(name) = &change.name {
        // Maintenance rewrites the static answers.
        let committed = changes::commit(&session.conn, &id, Subject::Owner(&id), now, |conn| {
            require_possible(conn, &session.principal, name, is_forced, now)?;
            users::update(conn, &id, &change, now)?;
            Ok::<_, Failure>(((), audit(&session.principal, &change)))
        })?;
        log::change(committed.added.as_ref());
        forget(ports, session.owner(), &committed.stale);
        known_names::forget(ports, session.owner());
        known_names::forget_owners(ports);
    } else {
        session.edit(|conn| {
            users::update(conn, &id, &change, now)?;
            Ok::<_, Failure>(((), audit(&session.principal, &change)))
        })?;
    }
    private_json(StatusCode::OK, &MessageBody { message: "Admin updated".into() })
}

fn audit(principal: &Principal, change: &UserChange) -> Audit {
    let old = &principal.owner;
    let new = change.name.as_ref().unwrap_or(old);
    let after = audited::changed_user(new, None, change.password_hash.is_some(), change.end_logins);
    let entry = principal.entry(AuditKind::AdminUpdate).of_object(&principal.owner_id, new.as_str());
    Audit::of_change(entry, audited::user(old, None), after)
}

/// The owner's name is part of the URLs built into clients, so once there is a release, a change needs
/// `force`. Signed metadata and uploads under way prevent it even then.
fn require_possible(
    conn: &impl SqlConn,
    principal: &Principal,
    name: &UserName,
    is_forced: bool,
    now: Timestamp,
) -> Result<(), Failure> {
    require_free_name(conn, name, Some(&principal.owner_id))?;
    let owner = &principal.owner_id;
    let text = match users::usage_of_name(conn, owner, now)? {
        Usage::Free => return Ok(()),
        Usage::Releases if is_forced && !users::is_name_kept(conn, owner, now)? => return Ok(()),
        Usage::Releases => "the user name is used by releases",
        Usage::Uploads => "the user name is used by an upload under way",
    };
    Err(ApiError::conflict(ErrorCode::InUse, text).into())
}
