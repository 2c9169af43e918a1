//! Help for people who have lost all their passkeys and recovery codes.

use spindrift_core::UserName;
use spindrift_core::audit::{AuditKind, AuditOrigin};
use spindrift_db::{passkeys, users};
use spindrift_service::changes::edit;
use spindrift_service::{Failure, Ports};
use spindrift_web::ApiError;

/// Removes the passkeys and recovery codes of the user with this name, and ends the user's logins. From then on, the
/// password alone logs in.
/// For whoever runs the service: nobody asks who calls.
pub fn reset_passkeys(ports: &impl Ports, name: &str) -> Result<(), ApiError> {
    reset(ports, name).map_err(Failure::into_api)
}

fn reset(ports: &impl Ports, name: &str) -> Result<(), Failure> {
    let unknown = || ApiError::NotFound(format!("there is nobody with the name {name}").into());
    let name: UserName = name.parse().map_err(|_| unknown())?;
    let conn = spindrift_db::open(ports, ports.now())?;
    let user = users::by_name(&conn, &name)?.ok_or_else(unknown)?.user;
    let owner = user.owner_id();
    edit(ports, &conn, owner, |conn| {
        passkeys::delete_all(conn, &user.id)?;
        users::end_logins(conn, &user.id)?;
        let entry = AuditOrigin::maintenance().entry(AuditKind::PasskeyReset);
        Ok::<_, Failure>(((), entry.of_object(&user.id, user.name.as_str()).into()))
    })
}
