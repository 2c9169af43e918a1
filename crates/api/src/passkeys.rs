//! Bodies of passkeys and recovery codes.
//!
//! Types that hold a password or a code have no `Debug`: secrets must not get into a log.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use spindrift_core::Id;

use crate::RawJson;

/// A passkey in `GET /passkeys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PasskeyEntry {
    /// Id.
    pub id: Id,
    /// Given by the user.
    pub name: String,
    /// When it was added, RFC 3339.
    pub created_at: String,
    /// When it was last used, RFC 3339. `null`: never.
    pub last_used_at: Option<String>,
}

/// Answer of `GET /passkeys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PasskeysBody {
    /// The caller's passkeys, oldest first.
    pub passkeys: Vec<PasskeyEntry>,
    /// The number of recovery codes that were not used.
    pub recovery_codes: u64,
    /// Whether the owner demands passkeys of the team.
    pub required: bool,
}

/// A question for a browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PasskeyQuestionBody {
    /// For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`.
    #[cfg_attr(feature = "schema", schemars(with = "Value"))]
    pub options: RawJson,
    /// Sent back with the answer, within five minutes. It is good once.
    pub challenge: String,
}

/// Body of `POST /passkeys/new`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PasskeyNewBody {
    /// The caller's password, for the first passkey.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
}

/// Body of `POST /passkeys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PasskeyCreateBody {
    /// A name for the passkey, at most 64 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// From `POST /passkeys/new`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge: Option<String>,
    /// The browser's answer: `toJSON()` of its `PublicKeyCredential`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<Value>,
}

/// Answer of `POST /passkeys`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PasskeyCreatedBody {
    /// The passkey.
    pub passkey: PasskeyEntry,
    /// With the first passkey: codes for a login without it, each good once. They are shown only here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recovery_codes: Vec<String>,
}

/// Body of `POST /passkeys/login` and `POST /passkeys/proof`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PasskeyAnswerBody {
    /// From `POST /passkeys/login/new` or `POST /passkeys/proof/new`, or from the refusal of `POST /login`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challenge: Option<String>,
    /// The browser's answer: `toJSON()` of its `PublicKeyCredential`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credential: Option<Value>,
}

/// Body of `POST /passkeys/recover`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecoveryBody {
    /// The user's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The user's password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// A recovery code that was not used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// Answer of `POST /passkeys/recovery-codes`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecoveryCodesBody {
    /// New codes, each good once. They are shown only here, and all earlier codes have ended.
    pub recovery_codes: Vec<String>,
}

/// Body of `POST /passkeys/requirement`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PasskeyRequirementBody {
    /// Whether team users without a passkey may do nothing but add one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}
