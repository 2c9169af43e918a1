//! Bodies of CI tokens.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Body of `POST /token/create`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenCreateBody {
    /// What the admin calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Identifiers of the applications that it may upload to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_apps: Option<Vec<Id>>,
    /// RFC 3339, in the future; without it the token does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}

/// What answers show of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// Answer of `POST /token/create`. No `Debug`: the token must not get into a log.
#[derive(Clone, Serialize, Deserialize)]
pub struct TokenCreatedBody {
    /// The token itself, which is never shown again.
    pub token: String,
    /// What lists show of it.
    #[serde(flatten)]
    pub entry: TokenEntry,
}

/// Answer of `GET /token/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokensBody {
    /// The admin's tokens, oldest first.
    pub tokens: Vec<ListedTokenEntry>,
}

/// A token in `GET /token/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedTokenEntry {
    /// What every answer shows of it.
    #[serde(flatten)]
    pub entry: TokenEntry,
    /// The beginning of the hour in which it was used last, RFC 3339; `null`: not used yet.
    pub last_used_at: Option<String>,
}
