//! Bodies of `/tuf/v1/config`: the settings of a repository.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Answer of `GET /tuf/v1/config`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepositoryConfigBody {
    /// The settings of the repository.
    pub data: RepositoryConfig,
    /// Text for people.
    pub message: String,
}

/// The settings of a repository and of its root. Lifetimes are in days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepositoryConfig {
    /// Lifetime of `root`, in days.
    pub root_expiration: u16,
    /// How many keys have to sign `root`.
    pub root_threshold: u16,
    /// How many keys may sign `root`.
    pub root_num_keys: u16,
    /// Lifetime of `targets`, in days.
    pub targets_expiration: u16,
    /// How many keys have to sign `targets`.
    pub targets_threshold: u16,
    /// How many keys may sign `targets`.
    pub targets_num_keys: u16,
    /// Lifetime of `snapshot`, in days.
    pub snapshot_expiration: u16,
    /// How many keys have to sign `snapshot`.
    pub snapshot_threshold: u16,
    /// How many keys may sign `snapshot`.
    pub snapshot_num_keys: u16,
    /// Lifetime of `timestamp`, in days.
    pub timestamp_expiration: u16,
    /// How many keys have to sign `timestamp`.
    pub timestamp_threshold: u16,
    /// How many keys may sign `timestamp`.
    pub timestamp_num_keys: u16,
    /// Whether the service signs targets.
    pub targets_online_key: bool,
    /// Newest releases that are listed in each channel, platform and architecture. 0: all.
    pub keep: u8,
    /// When the service will sign again, RFC 3339. `null`: it waits for offline signatures.
    pub refresh_after: Option<String>,
    /// Problems that prevent signing or serving, as text for people.
    pub problems: Vec<String>,
}

/// Body of `PUT /tuf/v1/config`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepositoryConfigRequest {
    /// The settings to change.
    pub settings: RepositorySettings,
}

/// Settings that can be changed. Unknown keys are errors, so they are collected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(extend("additionalProperties" = false)))]
pub struct RepositorySettings {
    /// Lifetimes in days, by role.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expiration: BTreeMap<String, u16>,
    /// Newest releases to list in each channel, platform and architecture. 0: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u8>,
    /// Unknown keys: an error, unlike unknown keys elsewhere.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub unknown: BTreeMap<String, serde_json::Value>,
}
