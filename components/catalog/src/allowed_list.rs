//! Who may see what somebody has made.

use spindrift_core::{Id, Resource, Starter};
use spindrift_db::SqlConn;
use spindrift_db::users::{self, UserChange};
use spindrift_service::requests::principal::Principal;
use spindrift_service::{Failure, Ports};
use spindrift_web::ApiError;

/// What a team user has made belongs to the admin, and to the user's allowed list. In the transaction that makes it.
pub(crate) fn join_list(
    ports: &impl Ports,
    conn: &impl SqlConn,
    principal: &Principal,
    resource: Resource,
    id: &Id,
) -> Result<(), Failure> {
    let Starter::User(user) = &principal.identity else { return Ok(()) };
    if principal.is_admin() {
        return Ok(());
    }
    // Read again: the list may have grown since the caller was authenticated, and the user may be gone.
    let team = users::by_id(conn, user)?.and_then(|found| found.user.team);
    let mut permissions = team.ok_or_else(|| ApiError::Unauthorized("invalid token".into()))?.permissions;
    permissions.allow(resource, id.clone());
    let change = UserChange { permissions: Some(permissions), ..UserChange::default() };
    Ok(users::update(conn, user, &change, ports.now())?)
}
