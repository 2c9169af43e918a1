//! Access to items that a team user creates.

use spindrift_core::{Id, Resource, Starter};
use spindrift_db::Audited;
use spindrift_db::users::{self, UserChange};
use spindrift_service::requests::principal::Principal;
use spindrift_service::{Failure, Ports};
use spindrift_web::ApiError;

/// Adds a new item to the allowed list of the team user who created it. It belongs to the admin.
/// Call it in the transaction that creates it.
pub(crate) fn join_list(
    ports: &impl Ports,
    conn: &impl Audited,
    principal: &Principal,
    resource: Resource,
    id: &Id,
) -> Result<(), Failure> {
    let Starter::User(user) = &principal.identity else { return Ok(()) };
    if principal.is_admin() {
        return Ok(());
    }
    // Read again, because since authentication the list may have grown or the user may have been deleted.
    let team = users::by_id(conn, user)?.and_then(|found| found.user.team);
    let mut permissions = team.ok_or_else(|| ApiError::Unauthorized("invalid token".into()))?.permissions;
    permissions.allow(resource, id.clone());
    let change = UserChange { permissions: Some(permissions), ..UserChange::default() };
    Ok(users::update(conn, user, &change, ports.now())?)
}
