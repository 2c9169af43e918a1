//! Bodies of `/tuf/v1/...`: signed metadata and its state.

mod bootstrap;
mod config;
mod metadata;
mod targets;
mod tasks;

use serde::{Deserialize, Serialize};

pub use self::bootstrap::{
    BootstrapBody, BootstrapRequest, BootstrapSettings, BootstrapState, FirstMetadata, RoleSettings, Waiting,
};
pub use self::config::{RepositoryConfig, RepositoryConfigBody, RepositoryConfigRequest, RepositorySettings};
pub use self::metadata::{
    DelegatedBody, DelegatedRotateRequest, MetadataRequest, OnlineRequest, RootBody, SignRequest,
    SignatureEntry, Staged, StagedBody, StagedDeleteRequest, TargetsBody, TrustedDelegated, TrustedRoot,
    TrustedTargets,
};
pub use self::targets::{
    ListingState, TargetEntry, TargetsDeleteRequest, TargetsPageBody, TargetsPublishRequest,
};
pub use self::tasks::{Task, TaskBody, TaskRef, TaskResult, TaskStartedBody, TaskState};
use crate::RawJson;

/// A file of signed metadata, as it was written: reading it into JSON values would hide what a strict reader refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SignedFile(pub RawJson);

/// A public key in the form of TUF.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyEntry {
    /// Lower-case hex SHA-256 of the key's canonical form.
    pub keyid: String,
    /// `ed25519` or `ecdsa`.
    pub keytype: String,
    /// `ed25519` or `ecdsa-sha2-nistp256`.
    pub scheme: String,
    /// The key itself.
    pub keyval: KeyValue,
}

/// The value of a public key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyValue {
    /// Lower-case hex, or PEM.
    pub public: String,
}

/// Body of calls that name only the application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepositoryRequest {
    /// Name of the application.
    #[serde(rename = "appName")]
    pub app_name: String,
}
