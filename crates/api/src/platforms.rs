//! Bodies of platforms.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::Switch;

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
    /// All updaters of the platform; they replace the previous list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updaters: Option<Vec<UpdaterBody>>,
    /// Updaters to add; for updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_updaters: Option<Vec<UpdaterRef>>,
    /// Updaters to remove; for updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove_updaters: Option<Vec<UpdaterRef>>,
    /// Whether it is the default for clients that name none; for updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Switch>,
    /// Whether to make the change even if it cuts off installed copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<Switch>,
}

/// An updater to add or to remove: its name, or an entry like those of the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum UpdaterRef {
    /// The name.
    Name(String),
    /// The entry.
    Entry(UpdaterBody),
}

impl From<UpdaterRef> for UpdaterBody {
    fn from(updater: UpdaterRef) -> Self {
        match updater {
            UpdaterRef::Name(updater) => Self { updater, default: false },
            UpdaterRef::Entry(entry) => entry,
        }
    }
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
    /// Whether it is the default for clients that name none.
    pub default: bool,
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
