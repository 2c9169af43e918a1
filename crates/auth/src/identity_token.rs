//! Identity tokens of CI jobs: JSON Web Tokens that an OpenID issuer has signed with RS256 or ES256
//! ([OpenID Connect Core §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken)).

use std::collections::HashSet;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use jwt_simple::JWTError;
use jwt_simple::claims::NoCustomClaims;
use jwt_simple::common::VerificationOptions;
use jwt_simple::prelude::{Duration, UnixTimeStamp};
use jwt_simple::token::Token;
use serde_json::{Map, Value};
use spindrift_core::Timestamp;

use crate::identity_keys::{IdentityKeys, KeyUse};

/// Longest identity token, in bytes. GitHub and GitLab issue tokens of 1 to 2 KiB.
pub const MAX_IDENTITY_TOKEN_BYTES: usize = 16 * 1024;

/// How far the clocks of the issuer and of the service may differ, in seconds.
const SKEW_SECONDS: u64 = 60;

/// Longest time for which the identity token of a job may be valid, in seconds.
const MAX_LIFETIME_SECONDS: i64 = 60 * 60;
/// Longest time for which the token of a person who signs in may be valid, in seconds.
const MAX_SIGN_IN_SECONDS: i64 = 24 * 60 * 60;

/// An identity token that was not verified yet.
#[derive(Clone)]
pub struct IdentityToken {
    text: String,
    key_id: String,
    issuer: String,
}

/// Why an identity token is refused. Claims are public, so the texts say what the token says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdentityTokenError {
    #[error("the token is longer than {MAX_IDENTITY_TOKEN_BYTES} bytes")]
    TooLong,
    #[error("the token is not a JSON Web Token with a key id and an issuer")]
    Malformed,
    #[error("the token is not signed with RS256 or ES256")]
    Algorithm,
    /// The issuer has no such key. It may be new.
    #[error("the issuer has no key {0:?}")]
    UnknownKey(String),
    #[error("the issuer has not signed this token")]
    Signature,
    #[error("the token has expired")]
    Expired,
    #[error("the token is not valid yet")]
    NotYetValid,
    #[error("the token must say when it was issued and when it expires, at most an hour later")]
    Lifetime,
    #[error("the token's audience must be {expected}, and not {said}")]
    Audience { expected: String, said: String },
}

/// The claims of an identity token that is valid now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedIdentity {
    /// All claims.
    pub claims: Map<String, Value>,
    /// The claim `jti`; the whole token if it has none.
    pub id: String,
    /// When the token is certainly over, by every clock that may be asked.
    pub over_at: Timestamp,
}

impl IdentityToken {
    /// Reads a token without trusting it.
    pub fn parse(text: &str) -> Result<Self, IdentityTokenError> {
        if text.len() > MAX_IDENTITY_TOKEN_BYTES {
            return Err(IdentityTokenError::TooLong);
        }
        let malformed = || IdentityTokenError::Malformed;
        let metadata = Token::decode_metadata(text).map_err(|_| malformed())?;
        if !KeyUse::ALGORITHMS.contains(&metadata.algorithm()) {
            return Err(IdentityTokenError::Algorithm);
        }
        let key_id = metadata.key_id().filter(|id| !id.is_empty()).ok_or_else(malformed)?.to_owned();
        let claims = claims(text).ok_or_else(malformed)?;
        let issuer = claims.get("iss").and_then(Value::as_str).ok_or_else(malformed)?.to_owned();
        Ok(Self { text: text.to_owned(), key_id, issuer })
    }

    /// The issuer named in the token, which is not verified yet.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The claims, if one of the issuer's keys has signed them and they hold now. `audience` is the address of
    /// the service, which the token must name alone.
    pub fn verify(
        &self,
        keys: &IdentityKeys,
        audience: &str,
        now: Timestamp,
    ) -> Result<VerifiedIdentity, IdentityTokenError> {
        self.verify_for(keys, audience, MAX_LIFETIME_SECONDS, now)
    }

    /// Like [`verify`](Self::verify), for the token of a person who signs in, which may be valid for longer. The nonce
    /// ties it to one sign-in.
    pub(crate) fn verify_sign_in(
        &self,
        keys: &IdentityKeys,
        client_id: &str,
        now: Timestamp,
    ) -> Result<Map<String, Value>, IdentityTokenError> {
        Ok(self.verify_for(keys, client_id, MAX_SIGN_IN_SECONDS, now)?.claims)
    }

    fn verify_for(
        &self,
        keys: &IdentityKeys,
        audience: &str,
        max_seconds: i64,
        now: Timestamp,
    ) -> Result<VerifiedIdentity, IdentityTokenError> {
        let key =
            keys.find(&self.key_id).ok_or_else(|| IdentityTokenError::UnknownKey(self.key_id.clone()))?;
        let options = VerificationOptions {
            allowed_issuers: Some(HashSet::from([self.issuer.clone()])),
            artificial_time: Some(unix(now)),
            time_tolerance: Some(Duration::from_secs(SKEW_SECONDS)),
            max_token_length: Some(MAX_IDENTITY_TOKEN_BYTES),
            max_header_length: Some(MAX_IDENTITY_TOKEN_BYTES),
            ..VerificationOptions::default()
        };
        let standard = key.verify::<NoCustomClaims>(&self.text, options).map_err(|error| {
            match error.downcast_ref::<JWTError>() {
                Some(JWTError::TokenHasExpired) => IdentityTokenError::Expired,
                Some(JWTError::TokenNotValidYet | JWTError::ClockDrift) => IdentityTokenError::NotYetValid,
                _ => IdentityTokenError::Signature,
            }
        })?;
        let (Some(issued), Some(expires)) = (standard.issued_at, standard.expires_at) else {
            return Err(IdentityTokenError::Lifetime);
        };
        let seconds = |time: UnixTimeStamp| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        if !(0..=max_seconds).contains(&seconds(expires).saturating_sub(seconds(issued))) {
            return Err(IdentityTokenError::Lifetime);
        }
        let claims = claims(&self.text).ok_or(IdentityTokenError::Malformed)?;
        require_audience(claims.get("aud"), audience)?;
        let over_at = Timestamp::from_millis(0)
            .plus_seconds(seconds(expires).saturating_add(2 * i64::try_from(SKEW_SECONDS).unwrap_or(0)));
        let id = standard.jwt_id.filter(|id| !id.is_empty()).unwrap_or_else(|| self.text.clone());
        Ok(VerifiedIdentity { claims, id, over_at })
    }
}

/// The service must be the only audience: a token that another service also accepts could be passed on by it.
fn require_audience(said: Option<&Value>, expected: &str) -> Result<(), IdentityTokenError> {
    let is_it = |value: &Value| value.as_str() == Some(expected);
    let holds = match said {
        Some(Value::Array(all)) => all.len() == 1 && all.iter().all(is_it),
        Some(value) => is_it(value),
        None => false,
    };
    if holds {
        return Ok(());
    }
    let said = said.map_or_else(|| "missing".to_owned(), Value::to_string);
    Err(IdentityTokenError::Audience { expected: expected.to_owned(), said })
}

/// The claims in the token, whoever wrote them.
fn claims(text: &str) -> Option<Map<String, Value>> {
    let mut parts = text.split('.');
    let (_, claims, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
}

/// `time` in seconds; earlier times become 1970.
fn unix(time: Timestamp) -> UnixTimeStamp {
    UnixTimeStamp::from_secs(u64::try_from(time.as_seconds()).unwrap_or(0))
}

impl std::fmt::Debug for IdentityToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IdentityToken").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
