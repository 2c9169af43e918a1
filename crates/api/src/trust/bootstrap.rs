//! Bodies of `/tuf/v1/bootstrap`: how a repository begins.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use super::{KeyEntry, SignedFile};

/// Answer of `GET /tuf/v1/bootstrap`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BootstrapBody {
    /// The state of the repository, and the keys that a root has to name.
    pub data: BootstrapState,
    /// Text for people.
    pub message: String,
}

/// The state of a repository, and the keys of the service, which exist before it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BootstrapState {
    /// Whether there is a repository.
    pub bootstrap: bool,
    /// The step that it waits for. `null`: it is complete, or there is none.
    pub state: Option<Waiting>,
    /// Id of the application. `null`: there is no repository.
    pub id: Option<Id>,
    /// `{owner}/{app}` as at its start; before it, as they are now.
    pub repository: String,
    /// The key for snapshot and timestamp.
    pub online_key: KeyEntry,
    /// Its successor, for a root that replaces it.
    pub next_online_key: KeyEntry,
    /// The key for targets, where the service signs them.
    pub targets_key: KeyEntry,
    /// Its successor.
    pub next_targets_key: KeyEntry,
}

/// The step that an incomplete repository waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// The root lacks signatures.
    Signing,
    /// There are no targets yet.
    Waiting,
}

/// Body of `POST /tuf/v1/bootstrap`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BootstrapRequest {
    /// Name of the application.
    #[serde(rename = "appName")]
    pub app_name: String,
    /// Lifetimes of the metadata that the service signs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<BootstrapSettings>,
    /// The first metadata.
    pub metadata: FirstMetadata,
    /// The roots before this one, from version 1, of a repository that moves here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub root_history: Vec<SignedFile>,
}

/// Settings in `POST /tuf/v1/bootstrap`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(expecting = "an object")]
pub struct BootstrapSettings {
    /// By role: `root`, `targets`, `snapshot`, `timestamp`.
    #[serde(default)]
    pub roles: BTreeMap<String, RoleSettings>,
}

/// Settings of one role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(expecting = "an object")]
pub struct RoleSettings {
    /// Lifetime in days.
    pub expiration: u16,
}

/// The metadata that a repository begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(expecting = "an object")]
pub struct FirstMetadata {
    /// Root.
    pub root: SignedFile,
    /// Targets. Without them the service signs empty ones, or waits for the publisher's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<SignedFile>,
}
