//! Bodies of platforms.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Body of `POST /platform/create` and `POST /platform/update`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlatformBody {
    /// Id of the platform; for updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// All updaters of the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updaters: Option<Vec<UpdaterBody>>,
}

/// One updater of a platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UpdaterBody {
    /// `manual`, `squirrel_windows`, ...
    #[serde(rename = "type")]
    pub updater: String,
    /// Whether a client that names no updater gets the answer of this one.
    #[serde(default)]
    pub default: bool,
}

/// A platform in `GET /platform/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct PlatformEntry {
    /// Id.
    #[serde(rename = "ID")]
    pub id: Id,
    /// Name.
    pub platform_name: String,
    /// The updaters; never empty.
    pub updaters: Vec<UpdaterBody>,
    /// The admin's user name.
    pub owner: String,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub updated_at: String,
}

/// Answer of `GET /platform/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlatformsBody {
    /// The platforms that the caller may see, by name.
    pub platforms: Vec<PlatformEntry>,
}
