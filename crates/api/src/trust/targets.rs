//! Bodies of `/tuf/v1/artifacts`: artifacts as targets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

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
    /// How many of the newest releases of each scope stay listed; 0: all.
    pub keep: u8,
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
    /// The known ones of `sha256` and `sha512`, lower-case hex.
    pub hashes: BTreeMap<String, String>,
    /// Whether it is in the current metadata.
    pub state: ListingState,
    /// Whether its release is published.
    pub published: bool,
    /// Whether a check could answer it, so that the next list has to name it.
    pub needed: bool,
}

/// Whether an artifact is in the current metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ListingState {
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
