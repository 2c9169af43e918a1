//! Bodies of `/tuf/v1/metadata`: signed metadata, and metadata that waits for signatures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::SignedFile;

/// Answer of `GET /tuf/v1/metadata/root`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RootBody {
    /// The current root.
    pub data: TrustedRoot,
}

/// The current root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrustedRoot {
    /// `null`: it lacks signatures.
    pub trusted_root: Option<SignedFile>,
}

/// Answer of `GET /tuf/v1/metadata/targets`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetsBody {
    /// The current targets.
    pub data: TrustedTargets,
}

/// The current targets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrustedTargets {
    /// `null`: there are none yet.
    pub trusted_targets: Option<SignedFile>,
}

/// Answer of `GET /tuf/v1/metadata/delegated`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DelegatedBody {
    /// The current metadata of the channel's role.
    pub data: TrustedDelegated,
}

/// The current metadata of a channel with signers of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrustedDelegated {
    /// `null`: the channel has none.
    pub trusted_delegated: Option<SignedFile>,
}

/// Body of `POST /tuf/v1/metadata`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MetadataRequest {
    /// By role: `root`, `targets`, `channel-<name>`.
    pub metadata: BTreeMap<String, SignedFile>,
    /// The version of the current list that this was made from: of targets, or, if only the list of a channel is sent, of
    /// that one. 0: there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<u64>,
}

/// Body of `POST /tuf/v1/metadata/delegated/rotate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DelegatedRotateRequest {
    /// The channel's role.
    pub role: String,
    /// Only `targets` delegates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegator: Option<String>,
    /// As in `POST /tuf/v1/metadata`.
    pub metadata: BTreeMap<String, SignedFile>,
}

/// Answer of `GET /tuf/v1/metadata/sign`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StagedBody {
    /// `null`: nothing is staged.
    pub data: Option<Staged>,
    /// Text for people.
    pub message: String,
}

/// The metadata that lacks signatures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Staged {
    /// By role, and the current `trusted_root` and `trusted_targets`.
    pub metadata: BTreeMap<String, SignedFile>,
}

/// Body of `POST /tuf/v1/metadata/sign`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SignRequest {
    /// The role that is staged.
    pub role: String,
    /// A signature of it.
    pub signature: SignatureEntry,
}

/// A signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(expecting = "an object")]
pub struct SignatureEntry {
    /// Id of the key.
    pub keyid: String,
    /// Lower-case hex.
    pub sig: String,
}

/// Body of `POST /tuf/v1/metadata/sign/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StagedDeleteRequest {
    /// The role that is staged.
    pub role: String,
}

/// Body of `POST /tuf/v1/metadata/online`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OnlineRequest {
    /// The roles to sign again: `timestamp`, `snapshot`, `targets`. By default, all that the service signs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
}
