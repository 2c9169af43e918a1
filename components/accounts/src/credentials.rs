//! Validation of new user names and passwords.

use spindrift_auth::{AuthError, Password, PasswordHash};
use spindrift_core::{Id, UserName};
use spindrift_db::{SqlConn, users};
use spindrift_service::{Failure, Ports};
use spindrift_settings::password_hash_cost;
use spindrift_web::{ApiError, ErrorCode, parse_parameter, required};

/// A new user name; 400 if it is missing or invalid.
pub(crate) fn parse_name(value: Option<String>) -> Result<UserName, ApiError> {
    parse_parameter("username", &required(value, "username")?)
}

/// Like [`parse_password`], but a missing or empty password leaves the old one.
pub(crate) fn parse_new_password(value: Option<String>) -> Result<Option<Password>, ApiError> {
    value.filter(|text| !text.is_empty()).map(|text| parse_password(Some(text))).transpose()
}

/// A new password; 400 if it is missing, too short or too long.
pub(crate) fn parse_password(value: Option<String>) -> Result<Password, ApiError> {
    required(value, "password")?.parse().map_err(|error: AuthError| ApiError::bad_request(error.to_string()))
}

/// The hash of a password. Takes tens of milliseconds, so do not call it in a transaction.
pub(crate) fn hash(ports: &impl Ports, password: &Password) -> Result<PasswordHash, Failure> {
    let cost = password_hash_cost(ports)?;
    Ok(password.hash(ports.random_bytes(), cost).map_err(internal)?)
}

pub(crate) fn internal(error: AuthError) -> ApiError {
    ApiError::Internal { internal: error.to_string() }
}

/// 409 if a user other than `own` has the name. Call it under the write lock.
pub(crate) fn require_free_name(
    conn: &impl SqlConn,
    name: &UserName,
    own: Option<&Id>,
) -> Result<(), Failure> {
    match users::by_name(conn, name)? {
        Some(taken) if own != Some(&taken.user.id) => {
            Err(ApiError::conflict(ErrorCode::AlreadyExists, "user already exists").into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(parse_name(None).unwrap_err().to_string(), "missing username");
        assert_eq!(parse_name(Some(String::new())).unwrap_err().to_string(), "missing username");
        let message = parse_name(Some("a b".into())).unwrap_err().to_string();
        assert!(message.starts_with("invalid username parameter: 1 to 64 letters"), "{message}");
        assert_eq!(parse_name(Some("a@b".into())).unwrap().as_str(), "a@b");
        for bad in [".", "..", ".a", "a..b"] {
            assert!(parse_name(Some(bad.into())).is_err(), "{bad}");
        }
    }

    #[test]
    fn passwords() {
        assert_eq!(parse_password(None).unwrap_err().to_string(), "missing password");
        assert!(parse_password(Some("1234567".into())).is_err());
        assert!(parse_password(Some("12345678".into())).is_ok());
        for unchanged in [None, Some(String::new())] {
            assert!(parse_new_password(unchanged).unwrap().is_none());
        }
        assert!(parse_new_password(Some("1234567".into())).is_err());
        assert!(parse_new_password(Some("12345678".into())).unwrap().is_some());
    }
}
