//! Tokens and passwords, as functions of bytes and the time.
//!
//! Random bytes and the time are arguments. Types that hold a secret hide it in `Debug` and have no
//! `Display`.

mod bearer;
mod compare;
mod credential;
mod derived_mac;
mod error;
mod halt_link_token;
mod identity_keys;
mod identity_token;
mod jwt;
mod key_text;
mod passkey;
mod password;
mod recovery_code;
mod sealed_challenge;
mod sign_in;
mod webhook_secret;

pub use bearer::bearer;
pub use compare::constant_time_eq;
pub use credential::Credential;
pub use error::AuthError;
pub use halt_link_token::HaltLinkToken;
pub use identity_keys::{IdentityKeys, InvalidKeys};
pub use identity_token::{IdentityToken, IdentityTokenError, MAX_IDENTITY_TOKEN_BYTES, VerifiedIdentity};
pub use jwt::{JWT_LIFETIME_SECONDS, JwtKey, LoginClaims, MAX_JWT_LENGTH, MIN_SECRET_BYTES};
pub use key_text::{CiToken, DownloadToken, InvitationSecret, ReportKey, VISIBLE_PREFIX_LENGTH};
pub use passkey::{MAX_PASSKEY_ANSWER_BYTES, PasskeyAnswer, PasskeyError, PasskeyQuestion, RelyingParty};
pub use password::{Password, PasswordHash, SALT_BYTES, dummy_verify};
pub use recovery_code::{RECOVERY_CODE_BYTES, RECOVERY_CODES, RecoveryCode};
pub use sealed_challenge::{ChallengePurpose, SealedChallenge};
pub use sign_in::{SignIn, SignInError};
pub use webhook_secret::WebhookSecret;
