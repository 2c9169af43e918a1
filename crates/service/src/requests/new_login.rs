//! New logins.

use spindrift_auth::JWT_LIFETIME_SECONDS;
use spindrift_core::Login;
use spindrift_db::users::UserWithPassword;
use spindrift_db::{SqlConn, logins};

use crate::{Ports, ServiceError, settings};

/// Begins a login of a user who has just proved who they are. Returns its token.
pub fn issue_login(
    ports: &impl Ports,
    conn: &impl SqlConn,
    user: &UserWithPassword,
) -> Result<String, ServiceError> {
    let (key, now) = (settings::jwt_key(ports)?, ports.now());
    let login = Login {
        id: ports.new_id(),
        created_at: now,
        expires_at: now.plus_seconds(JWT_LIFETIME_SECONDS),
        last_used_at: None,
        proved_at: now,
    };
    logins::insert(conn, &user.user.id, &login)?;
    let token = key.issue(&user.user.id, &user.user.name, user.epoch, Some(&login.id), now);
    token.map_err(|error| ServiceError::Internal(error.to_string()))
}
