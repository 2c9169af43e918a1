//! `POST /admin/update`: changes an admin's own name and password.

use http::StatusCode;
use spindrift_api::{AdminUpdateBody, MessageBody};
use spindrift_core::{Id, Timestamp, UserName};
use spindrift_db::apps::Usage;
use spindrift_db::changes::{self, Subject};
use spindrift_db::users::{self, UserChange};
use spindrift_db::{SqlConn, in_transaction};
use spindrift_service::records::names;
use spindrift_service::requests::management::{MAX_JSON_BYTES, enter_as_admin, private_json, required};
use spindrift_service::requests::principal::Principal;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, ErrorCode, Request, Response};

use crate::credentials::{hash, parse_name, parse_new_password, require_free_name};

pub(crate) async fn update<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let (conn, principal) = enter_as_admin(ports, &request)?;
    let body: AdminUpdateBody = request.read_json(MAX_JSON_BYTES).await?;
    let id = Id::from_text(required(body.id, "id")?);
    // The present name is no change. Written again, it could undo a new one that another call sets meanwhile.
    let name = body.username.map(|name| parse_name(Some(name))).transpose()?;
    let name = name.filter(|name| *name != principal.owner);
    let password = parse_new_password(body.password)?;
    if id != principal.owner_id {
        return Err(ApiError::Forbidden("only your own account can be changed".into()).into());
    }
    let password_hash = password.map(|password| hash(ports, &password)).transpose()?;
    let password_hash = password_hash.map(|hash| hash.expose().to_owned());
    let end_logins = password_hash.is_some();
    let change = UserChange { name, password_hash, permissions: None, end_logins };
    let now = ports.now();
    if let Some(name) = &change.name {
        // The name can only change while nothing is published, so no kept record is stale. Static answers of deleted
        // releases are stale, and maintenance updates them.
        let ((), _) = changes::commit(&conn, &id, Subject::Owner(&id), now, |conn| {
            require_possible(conn, &principal, name, now)?;
            Ok::<_, Failure>(users::update(conn, &id, &change, now)?)
        })?;
        names::forget(ports, &principal.owner);
        names::forget_owners(ports);
    } else {
        in_transaction(&conn, |conn| users::update(conn, &id, &change, now))?;
    }
    private_json(StatusCode::OK, &MessageBody { message: "Admin updated".into() })
}

/// The owner's name is part of storage keys and of the URLs built into clients, so it cannot change once there is a
/// release.
fn require_possible(
    conn: &impl SqlConn,
    principal: &Principal,
    name: &UserName,
    now: Timestamp,
) -> Result<(), Failure> {
    require_free_name(conn, name, Some(&principal.owner_id))?;
    let text = match users::usage_of_name(conn, &principal.owner_id, now)? {
        Usage::Free => return Ok(()),
        Usage::Releases => "the user name is used by releases",
        Usage::Uploads => "the user name is used by an upload under way",
    };
    Err(ApiError::conflict(ErrorCode::InUse, text).into())
}
