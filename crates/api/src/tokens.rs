//! Bodies of CI tokens.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Body of `POST /token/create`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenCreateBody {
    /// Name given by the admin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Ids of the applications that it works for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_apps: Option<Vec<Id>>,
    /// Its rights for them: `upload`, `publish`, `stop`, `roll`, `guard`. Without it: `upload`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may: Option<Vec<String>>,
    /// RFC 3339, in the future; without it the token does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// The part of a token that answers show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenEntry {
    /// Id.
    pub id: Id,
    /// Name given by the admin.
    pub name: String,
    /// The token's first characters.
    pub token_prefix: String,
    /// Ids of the applications that it works for.
    pub allowed_apps: Vec<Id>,
    /// Its rights for them: `upload`, `publish`, `stop`, `roll`, `guard`.
    pub may: Vec<String>,
    /// RFC 3339. `null`: it never expires.
    pub expires_at: Option<String>,
    /// RFC 3339.
    pub created_at: String,
}

/// Answer of `POST /token/create`. No `Debug`: the token must not get into a log.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokenCreatedBody {
    /// The token itself. It is never shown again.
    pub token: String,
    /// The same fields as in lists.
    #[serde(flatten)]
    pub entry: TokenEntry,
}

/// Answer of `GET /token/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TokensBody {
    /// The admin's tokens, oldest first.
    pub tokens: Vec<ListedTokenEntry>,
}

/// A token in `GET /token/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ListedTokenEntry {
    /// The same fields as in every answer.
    #[serde(flatten)]
    pub entry: TokenEntry,
    /// The start of the hour in which it was last used, RFC 3339. `null`: never used.
    pub last_used_at: Option<String>,
}
