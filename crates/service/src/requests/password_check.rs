//! User names and passwords of people who log in.

use spindrift_auth::{PasswordHash, dummy_verify};
use spindrift_core::UserName;
use spindrift_db::users::{self, UserWithPassword};
use spindrift_settings::password_hash_cost;

use crate::{Ports, ServiceError};

/// The user with this name and password. Takes the same time if there is no such user, or one without a password.
pub fn by_password(
    ports: &impl Ports,
    (username, password): (&str, &str),
) -> Result<Option<UserWithPassword>, ServiceError> {
    let cost = password_hash_cost(ports)?;
    let conn = spindrift_db::open(ports, ports.now())?;
    let user = match username.parse::<UserName>() {
        Ok(name) => users::by_name(&conn, &name)?,
        // An invalid name gets the same answer as an unknown one.
        Err(_) => None,
    };
    // Somebody who was invited by e-mail may have no password.
    let Some(user) = user.filter(|user| !user.password_hash.is_empty()) else {
        dummy_verify(password, cost);
        return Ok(None);
    };
    let hash = PasswordHash::from_stored(user.password_hash.as_str());
    Ok(hash.verify(password).then_some(user))
}
