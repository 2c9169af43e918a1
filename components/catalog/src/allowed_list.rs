//! Access to items that a team user creates.

use spindrift_core::{Id, Resource, Starter};
use spindrift_db::Audited;
use spindrift_db::users::{self, UserChange};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports};
use spindrift_web::ApiError;

/// Adds a new item to the allowed list of the team user who created it. It belongs to the admin.
/// Call it in the transaction that creates it.
pub(crate) fn join_list(
    session: &Session<'_, impl Ports>,
    conn: &impl Audited,
    resource: Resource,
    id: &Id,
) -> Result<(), Failure> {
    let Starter::User(user) = &session.principal.identity else { return Ok(()) };
    if session.principal.is_admin() {
        return Ok(());
    }
    // Read again, because since authentication the list may have grown or the user may have been deleted.
    let team = users::by_id(conn, user)?.and_then(|found| found.user.team);
    let mut permissions = team.ok_or_else(|| ApiError::Unauthorized("invalid token".into()))?.permissions;
    permissions.allow(resource, id.clone());
    let change = UserChange { permissions: Some(permissions), ..UserChange::default() };
    Ok(users::update(conn, user, &change, session.now)?)
}
