//! Bodies of invitations.
//!
//! Types that hold a link, its secret or a password have no `Debug`: secrets must not get into a log.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::PermissionsBody;

/// Body of `POST /invitations`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvitationCreateBody {
    /// Name of the new user. Without it, the person chooses one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The new user's role, as in `POST /user/create`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The new user's permissions, as in `POST /user/create`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<PermissionsBody>,
}

/// An invitation in answers to admins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvitationEntry {
    /// Id.
    pub id: Id,
    /// Name of the new user. `null`: the person chooses one.
    pub username: Option<String>,
    /// `admin`, `release-manager`, `on-call`, `support`, or `custom` for other permissions.
    pub role: String,
    /// The new user's permissions.
    pub permissions: PermissionsBody,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub expires_at: String,
}

/// Answer of `POST /invitations`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvitationCreatedBody {
    /// The page that the person opens. It is never shown again.
    pub link: String,
    /// The secret in the link, for programs that accept without the page.
    pub secret: String,
    /// The same fields as in lists.
    #[serde(flatten)]
    pub entry: InvitationEntry,
}

/// Answer of `GET /invitations`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvitationsBody {
    /// The invitations that can still be accepted, oldest first.
    pub invitations: Vec<InvitationEntry>,
}

/// Answer of `GET /invitations/mine`: what the holder of a link sees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OwnInvitationBody {
    /// The admin who invites.
    pub owner: String,
    /// Name of the new user. `null`: choose one.
    pub username: Option<String>,
    /// The new user's role, as in lists.
    pub role: String,
    /// RFC 3339.
    pub expires_at: String,
}

/// Body of `POST /invitations/accept`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvitationAcceptBody {
    /// Name of the new user. May be left out if the invitation sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Password of the new user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

/// Answer of `POST /invitations/accept`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InvitationAcceptedBody {
    /// Name of the new user, who can log in now.
    pub username: String,
}
