//! Bodies of groups of devices, such as testers.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Body of `POST /device-groups`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceGroupCreateBody {
    /// Name of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Name of the group, unique within the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why, for the audit log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A group of devices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceGroupEntry {
    /// Its id.
    pub id: Id,
    /// The application.
    pub app: String,
    /// Its name.
    pub name: String,
    /// The number of devices in its list.
    pub devices: u64,
    /// RFC 3339.
    pub created_at: String,
    /// Copies that say this key are in the group. Only in the answers that make one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Answer of `GET /device-groups`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceGroupsBody {
    /// The groups of the application, by name.
    pub groups: Vec<DeviceGroupEntry>,
}

/// Body of `POST /device-groups/{id}/devices`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceGroupDevicesBody {
    /// Device ids to add.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add: Option<Vec<String>>,
    /// Device ids to remove.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove: Option<Vec<String>>,
    /// Why, for the audit log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Answer of `POST /device-groups/{id}/devices`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceGroupSizeBody {
    /// The number of devices in its list.
    pub devices: u64,
}
