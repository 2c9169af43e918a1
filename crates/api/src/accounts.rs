//! Bodies of sign-up, login, team users and CI tokens.
//!
//! Requests that hold a password or a key have no `Debug`: they must not get into a log.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::PermissionsBody;

/// Body of `POST /signup`.
#[derive(Clone, Deserialize)]
pub struct SignupBody {
    /// The new admin's name.
    pub username: Option<String>,
    /// Its password.
    pub password: Option<String>,
    /// The setting `api_key`.
    pub api_key: Option<String>,
}

/// Body of `POST /login`.
#[derive(Clone, Deserialize)]
pub struct LoginBody {
    /// The user's name.
    pub username: Option<String>,
    /// The user's password.
    pub password: Option<String>,
}

/// Answer of `POST /login`.
#[derive(Clone, Serialize)]
pub struct LoginAnswer {
    /// A JWT, valid for 24 hours.
    pub token: String,
}

/// Answer of `GET /whoami`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WhoamiBody {
    /// The user's identifier.
    pub id: Id,
    /// The user's name.
    pub username: String,
    /// Whether the user is an admin, the owner of what is published.
    pub is_admin: bool,
    /// Of a team user: the admin it works for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Of a team user: what it may do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<PermissionsBody>,
}

/// Body of `POST /admin/update`.
#[derive(Clone, Deserialize)]
pub struct AdminUpdateBody {
    /// The caller's own identifier.
    pub id: Option<String>,
    /// The new name.
    pub username: Option<String>,
    /// The new password.
    pub password: Option<String>,
}

/// Body of `POST /user/create` and `POST /user/update` (all but `id` optional).
#[derive(Clone, Deserialize)]
pub struct UserBody {
    /// Which user; for updates.
    pub id: Option<String>,
    /// Its name.
    pub username: Option<String>,
    /// Its password.
    pub password: Option<String>,
    /// All that it may do.
    pub permissions: Option<PermissionsBody>,
}

/// A team user in `GET /users/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UserEntry {
    /// Identifier.
    pub id: Id,
    /// Name.
    pub username: String,
    /// What the user may do.
    pub permissions: PermissionsBody,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
}

/// Answer of `GET /users/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsersBody {
    /// The team, by name.
    pub users: Vec<UserEntry>,
}

/// Body of `POST /token/create`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TokenCreateBody {
    /// What the admin calls it.
    pub name: Option<String>,
    /// Identifiers of the applications that it may upload to.
    pub allowed_apps: Option<Vec<Id>>,
    /// RFC 3339, in the future; without it the token does not expire.
    pub expires_at: Option<String>,
}

/// What answers show of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TokenEntry {
    /// Identifier.
    pub id: Id,
    /// What the admin calls it.
    pub name: String,
    /// The token's first characters.
    pub token_prefix: String,
    /// Identifiers of the applications that it may upload to.
    pub allowed_apps: Vec<Id>,
    /// RFC 3339; `null`: never.
    pub expires_at: Option<String>,
    /// RFC 3339.
    pub created_at: String,
}

/// Answer of `POST /token/create`.
#[derive(Clone, Serialize)]
pub struct TokenCreatedBody {
    /// The token itself, which is never shown again.
    pub token: String,
    /// What lists show of it.
    #[serde(flatten)]
    pub entry: TokenEntry,
}

/// Answer of `GET /token/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TokensBody {
    /// The admin's tokens, oldest first.
    pub tokens: Vec<ListedTokenEntry>,
}

/// A token in `GET /token/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedTokenEntry {
    /// What every answer shows of it.
    #[serde(flatten)]
    pub entry: TokenEntry,
    /// The beginning of the hour in which it was used last, RFC 3339; `null`: not used yet.
    pub last_used_at: Option<String>,
}

/// Body of a deletion that does not have the identifier in its query.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct IdBody {
    /// What to delete.
    pub id: Option<String>,
}

/// Answer of a change that has nothing to tell but that it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageBody {
    /// For people.
    pub message: &'static str,
}
