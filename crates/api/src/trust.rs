//! Bodies of `/tuf/v1/...`: signed metadata and what the service says of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use spindrift_core::Id;

/// A file of signed metadata, as it was written: reading it into JSON values would hide what a strict reader refuses.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SignedFile(pub Box<RawValue>);

impl PartialEq for SignedFile {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for SignedFile {}

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
    /// What it waits for. `null`: it is complete, or there is none.
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

/// What a repository that has begun waits for.
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
    /// Lifetimes of what the service signs.
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
pub struct BootstrapSettings {
    /// By role: `root`, `targets`, `snapshot`, `timestamp`.
    #[serde(default)]
    pub roles: BTreeMap<String, RoleSettings>,
}

/// Settings of one role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RoleSettings {
    /// Lifetime in days.
    pub expiration: u16,
}

/// The metadata that a repository begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirstMetadata {
    /// Root.
    pub root: SignedFile,
    /// Targets. Without them the service signs empty ones, or waits for the publisher's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub targets: Option<SignedFile>,
}

/// Body of calls that name only the application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepositoryRequest {
    /// Name of the application.
    #[serde(rename = "appName")]
    pub app_name: String,
}

/// Answer of calls that changed something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskStartedBody {
    /// What can be asked about later.
    pub data: TaskRef,
    /// Text for people.
    pub message: String,
}

/// The record of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskRef {
    /// Id for `GET /tuf/v1/task`.
    pub task_id: Id,
    /// RFC 3339.
    pub last_update: String,
}

/// Answer of `GET /tuf/v1/task`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskBody {
    /// The task.
    pub data: Task,
    /// Text for people.
    pub message: String,
}

/// A change of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Task {
    /// Id.
    pub task_id: Id,
    /// Whether it is done.
    pub state: TaskState,
    /// What it did.
    pub result: TaskResult,
}

/// Whether a task is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum TaskState {
    /// It is.
    Success,
    /// It waits for signatures.
    Pending,
}

/// What a task did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskResult {
    /// Always true: what fails makes no task.
    pub status: bool,
    /// Kind of the change, such as `bootstrap` or `metadata_update`.
    pub task: String,
    /// Text for people.
    pub message: String,
    /// RFC 3339.
    pub last_update: String,
    /// Roles and versions.
    pub details: BTreeMap<String, String>,
}

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
    /// When the service will sign again, RFC 3339. `null`: it waits for signatures of people.
    pub refresh_after: Option<String>,
    /// What stands against signing or serving, for people.
    pub problems: Vec<String>,
}

/// Body of `PUT /tuf/v1/config`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RepositoryConfigRequest {
    /// What changes.
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
    /// Keys that are no settings: an error, unlike unknown keys elsewhere.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub unknown: BTreeMap<String, serde_json::Value>,
}

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

/// What lacks signatures.
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
    /// What to sign anew: `timestamp`, `snapshot`, `targets`. Without it everything that the service signs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
}

/// Answer of `GET /tuf/v1/artifacts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetsPageBody {
    /// Artifacts as targets, newest release first.
    pub items: Vec<TargetEntry>,
    /// Number of all that match.
    pub total: u64,
    /// This page, from 1.
    pub page: u64,
    /// Items a page.
    pub limit: u64,
    /// How many of the newest releases of each scope stay listed; 0: all. Absent in answers of older services.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u8>,
}

/// An artifact, as a target of signed metadata.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetEntry {
    /// The target's name: the path of the file's link.
    pub name: String,
    /// In normal form.
    pub version: String,
    /// Absent: the application uses none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Absent: the application uses none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Absent: the application uses none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// The package.
    pub package: String,
    /// Bytes.
    pub length: u64,
    /// What is known of `sha256` and `sha512`, lower-case hex.
    pub hashes: BTreeMap<String, String>,
    /// Whether it is in the current metadata.
    pub state: Listing,
    /// Whether its release is published.
    pub published: bool,
    /// Whether a check could answer it, so that the next list has to name it.
    pub needed: bool,
}

/// Whether an artifact is in the current metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Listing {
    /// It is.
    Listed,
    /// It is not: no check answers it.
    Unlisted,
    /// It is not, but was recorded before the repository began: checks answer it.
    Legacy,
}

/// Body of `POST /tuf/v1/artifacts/publish`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetsPublishRequest {
    /// Id of the application.
    pub app_id: Id,
    /// The release.
    pub version: String,
}

/// Body of `POST /tuf/v1/artifacts/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetsDeleteRequest {
    /// Id of the release.
    pub id: Id,
    /// Name of the application.
    pub app_name: String,
    /// Version of the release.
    pub version: String,
    /// Names of targets, or ids of artifacts.
    pub artifacts_to_delete: Vec<String>,
}
