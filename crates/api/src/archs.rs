//! Bodies of architectures.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::Switch;

/// Body of `POST /arch/create` and `POST /arch/update`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArchBody {
    /// Id of the architecture; for updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// Whether it is the default for clients that name none; for updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Switch>,
    /// Whether to make the change even if it cuts off installed copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<Switch>,
}

/// An architecture in `GET /arch/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct ArchEntry {
    /// Id.
    #[serde(rename = "ID")]
    pub id: Id,
    /// Name.
    #[serde(rename = "ArchID")]
    pub arch_name: String,
    /// Whether it is the default for clients that name none.
    pub default: bool,
    /// The admin's user name.
    pub owner: String,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub updated_at: String,
}

/// Answer of `GET /arch/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArchsBody {
    /// The architectures that the caller may see, by name.
    pub archs: Vec<ArchEntry>,
}
