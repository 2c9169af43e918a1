//! Bodies of the audit log.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use spindrift_core::Id;

/// The one who made a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditActorBody {
    /// `user`, `token`, `webhook` for somebody with a halt link, `maintenance`, or `clock` for a time that was set before.
    #[serde(rename = "type")]
    pub actor_type: String,
    /// The id of the user, token or webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Id>,
    /// The name of the user, token or webhook when the change was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A release, as it was called when it was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditReleaseBody {
    /// Its id.
    pub id: Id,
    /// Its version.
    pub version: String,
}

/// The thing that was changed, of the type that `kind` begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditObjectBody {
    /// Its id.
    pub id: Id,
    /// Its name when it was changed.
    pub name: String,
}

/// An entry of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditItem {
    /// Its place in the owner's log, from 1.
    pub seq: u64,
    /// RFC 3339, in seconds.
    pub at: String,
    /// Made the change.
    pub actor: AuditActorBody,
    /// The `X-Request-Id` of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The thing and the change, such as `release.update`.
    pub kind: String,
    /// The name of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The id of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_id: Option<Id>,
    /// The name of the release's channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<AuditReleaseBody>,
    /// Another thing that was changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<AuditObjectBody>,
    /// The changed fields before the change.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub before: BTreeMap<String, Value>,
    /// The changed fields after it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub after: BTreeMap<String, Value>,
    /// The caller's reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The entry as an English sentence.
    pub text: String,
    /// The hash of the entry and of everything before it.
    pub hash: String,
}

/// Answer of `GET /audit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditBody {
    /// The entries.
    pub items: Vec<AuditItem>,
    /// The `after` of the next page. Missing: this is the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// A line of `GET /audit?format=jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditLine {
    /// SHA-256 of the hash before it (32 bytes, of the first entry zeros) and of `entry`, in hexadecimal.
    pub hash: String,
    /// The text of the entry. It is JSON.
    pub entry: String,
}

/// Answer of `GET /audit/head`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditHeadBody {
    /// The place of the last entry; 0 if there is none.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
}
