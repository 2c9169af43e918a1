//! Bodies of signing up, logging in, and asking who one is.
//!
//! What holds a password, a key or a token has no `Debug`: it must not get into a log.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::PermissionsBody;

/// Body of `POST /signup`.
#[derive(Clone, Serialize, Deserialize)]
pub struct SignupBody {
    /// The new admin's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Its password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The setting `api_key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
}

/// Answer of `POST /signup`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignupAnswer {
    /// For people.
    pub result: Cow<'static, str>,
}

/// Body of `POST /login`.
#[derive(Clone, Serialize, Deserialize)]
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
pub struct LoginAnswer {
    /// A JWT, valid for 24 hours.
    pub token: String,
}

/// Answer of `GET /whoami`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
