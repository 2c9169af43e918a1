//! Login tokens of users: JSON Web Tokens ([RFC 7519](https://www.rfc-editor.org/rfc/rfc7519)), signed with
//! HS256 only.

use std::fmt;

use jwt_simple::JWTError;
use jwt_simple::algorithms::{HS256Key, MACLike as _};
use jwt_simple::claims::JWTClaims;
use jwt_simple::common::VerificationOptions;
use jwt_simple::prelude::{Duration, UnixTimeStamp};
use serde::{Deserialize, Serialize};
use spindrift_core::{Id, Timestamp, UserName};

use crate::AuthError;

/// How long a token is valid, in seconds: 24 hours.
pub const JWT_LIFETIME_SECONDS: i64 = 24 * 60 * 60;

/// Fewest bytes of the secret: the length of an HMAC-SHA-256
/// ([RFC 7518 §3.2](https://www.rfc-editor.org/rfc/rfc7518#section-3.2)).
pub const MIN_SECRET_BYTES: usize = 32;

/// Longest token, in bytes. Ours are under 300.
pub const MAX_JWT_LENGTH: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginClaims {
    /// The user's name.
    pub username: UserName,
    /// The user's id, in tokens that we issued. A name can be given up and taken by another user.
    pub user_id: Option<Id>,
    /// The login that the token was issued for, in tokens that we issued. When it ends, so does the token.
    pub login: Option<Id>,
    /// The user's epoch at the time of issue. The token is valid until the user's epoch changes.
    pub epoch: u64,
    /// The first second at which it is no longer valid.
    pub expires_at: Timestamp,
}

#[derive(Serialize, Deserialize)]
struct PrivateClaims {
    username: UserName,
    epoch: u64,
}

/// The key that signs tokens.
#[derive(Clone)]
pub struct JwtKey(HS256Key);

impl JwtKey {
    /// From the configured secret of at least [`MIN_SECRET_BYTES`].
    pub fn new(secret: &str) -> Result<Self, AuthError> {
        if secret.len() < MIN_SECRET_BYTES {
            return Err(AuthError::WeakSecret);
        }
        Ok(Self(HS256Key::from_bytes(secret.as_bytes())))
    }

    /// Issues a token for a user in this epoch, valid for [`JWT_LIFETIME_SECONDS`], or until `login` ends.
    pub fn issue(
        &self,
        user_id: &Id,
        username: &UserName,
        epoch: u64,
        login: Option<&Id>,
        now: Timestamp,
    ) -> Result<String, AuthError> {
        let claims = JWTClaims {
            issued_at: Some(unix(now)),
            expires_at: Some(unix(now.plus_seconds(JWT_LIFETIME_SECONDS))),
            invalid_before: None,
            issuer: None,
            subject: Some(user_id.to_string()),
            audiences: None,
            jwt_id: login.map(Id::to_string),
            nonce: None,
            custom: PrivateClaims { username: username.clone(), epoch },
        };
        self.0.authenticate(claims).map_err(|_| AuthError::Internal("sign a token"))
    }

    /// The claims of a valid token of this service.
    ///
    /// `exp` is required and allows no tolerance. `iat` is ignored, so that the clocks of several instances
    /// may differ slightly.
    pub fn verify(&self, token: &str, now: Timestamp) -> Result<LoginClaims, AuthError> {
        let options = VerificationOptions {
            artificial_time: Some(unix(now)),
            time_tolerance: Some(Duration::from_secs(0)),
            accept_future: true,
            max_token_length: Some(MAX_JWT_LENGTH),
            max_header_length: Some(MAX_JWT_LENGTH),
            ..VerificationOptions::default()
        };
        let claims =
            self.0.verify_token::<PrivateClaims>(token, Some(options)).map_err(|error| {
                match error.downcast_ref() {
                    Some(JWTError::TokenHasExpired) => AuthError::Expired,
                    _ => AuthError::InvalidToken,
                }
            })?;
        let expires_at = claims.expires_at.ok_or(AuthError::InvalidToken)?;
        // `accept_future` is meant for `iat`; "not before" must still be respected.
        if claims.invalid_before.is_some_and(|start| start > unix(now)) {
            return Err(AuthError::InvalidToken);
        }
        // The library treats `exp` as the last valid second, the standard as the first invalid one.
        if expires_at <= unix(now) {
            return Err(AuthError::Expired);
        }
        let seconds = i64::try_from(expires_at.as_secs()).map_err(|_| AuthError::InvalidToken)?;
        Ok(LoginClaims {
            username: claims.custom.username,
            user_id: claims.subject.map(Id::from_text),
            login: claims.jwt_id.map(Id::from_text),
            epoch: claims.custom.epoch,
            expires_at: Timestamp::from_millis(0).plus_seconds(seconds),
        })
    }
}

/// `time` in seconds; earlier times become 1970.
fn unix(time: Timestamp) -> UnixTimeStamp {
    UnixTimeStamp::from_secs(u64::try_from(time.as_seconds()).unwrap_or(0))
}

impl fmt::Debug for JwtKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JwtKey([redacted])")
    }
}

#[cfg(test)]
mod tests;
