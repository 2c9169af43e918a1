//! Bodies of admins and their team users.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::{PermissionsBody, Switch};

/// Body of `POST /admin/update`. No `Debug`: the password must not get into a log.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AdminUpdateBody {
    /// The caller's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The new name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The new password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// Whether to make the change even if it cuts off installed copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<Switch>,
}

/// Body of `POST /user/create` and `POST /user/update` (all but `id` optional). No `Debug`, as above.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserBody {
    /// Id of the user; for updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Password of the user. A new user with `email` can do without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// E-mail address, with which the user first signs in at the provider for single sign-on. Only for new users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Its role: `admin`, `release-manager`, `on-call` or `support`. It sets all permissions but the lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// All its permissions. With a role, only the lists count; without any list of channels, platforms and
    /// architectures, the role is for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<PermissionsBody>,
}

/// A team user in `GET /users/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserEntry {
    /// Id.
    pub id: Id,
    /// Name.
    pub username: String,
    /// `admin`, `release-manager`, `on-call`, `support`, or `custom` for other permissions.
    pub role: String,
    /// Permissions of the user.
    pub permissions: PermissionsBody,
    /// E-mail address for single sign-on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Whether the user has signed in at the provider.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_sso: bool,
    /// Whether the user has a passkey.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_passkey: bool,
    /// The start of the hour in which a login of the user was last used, RFC 3339. `null`: never used.
    pub last_seen_at: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
}

/// Answer of `GET /users/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UsersBody {
    /// The users of the team, by name.
    pub users: Vec<UserEntry>,
    /// Whether the team may not log in with passwords.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub password_login_off: bool,
}
