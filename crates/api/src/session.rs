//! Bodies of signing up, logging in, one's own logins and password, and `GET /whoami`.
//!
//! Types that hold a password, a key or a token have no `Debug`: secrets must not get into a log.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::PermissionsBody;

/// Answer of `GET /signup`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignupState {
    /// Whether somebody has signed up.
    pub has_admin: bool,
}

/// Body of `POST /signup`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignupBody {
    /// The new admin's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The new admin's password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The value of the setting `api_key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
}

/// Answer of `POST /signup`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignupAnswer {
    /// Text for people.
    pub result: Cow<'static, str>,
}

/// Body of `POST /login`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoginBody {
    /// The user's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The user's password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

/// Answer of `POST /login`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoginAnswer {
    /// A JWT, valid for 24 hours.
    pub token: String,
}

/// Body of `POST /password`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PasswordBody {
    /// The caller's current password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_password: Option<String>,
    /// The new password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

/// A login in `GET /logins`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoginEntry {
    /// Id.
    pub id: Id,
    /// Whether it is the login of this call.
    pub is_current: bool,
    /// When it began, RFC 3339.
    pub created_at: String,
    /// The start of the hour in which it was last used, RFC 3339. `null`: not used yet.
    pub last_used_at: Option<String>,
    /// When it expires, RFC 3339.
    pub expires_at: String,
}

/// Answer of `GET /logins`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoginsBody {
    /// The caller's logins, the latest first, at most 100.
    pub logins: Vec<LoginEntry>,
}

/// Answer of `GET /whoami`.
#[expect(clippy::struct_excessive_bools, reason = "fields of JSON, each of which is left out if it is false")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WhoamiBody {
    /// Id of the user.
    pub id: Id,
    /// The user's name.
    pub username: String,
    /// Whether the user is an admin. Admins own applications and releases.
    pub is_admin: bool,
    /// For a team user: the admin whose team it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// For a team user: its role, as in `GET /users/list`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// For a team user: its permissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<PermissionsBody>,
    /// Whether the user signs in at the provider for single sign-on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_sso: bool,
    /// Whether the user has a passkey.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_passkey: bool,
    /// Whether the user has to add a passkey before anything else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_passkey: bool,
}
