//! Bodies of channels.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::Switch;

/// Body of `POST /channel/create` and `POST /channel/update`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelBody {
    /// Id of the channel; for updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// All channels whose releases are also offered to this channel's clients, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub includes: Option<Vec<String>>,
    /// Whether it is the default for clients that name none; for updates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Switch>,
    /// Whether to make the change even if it cuts off installed copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<Switch>,
}

/// A channel in `GET /channel/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct ChannelEntry {
    /// Id.
    #[serde(rename = "ID")]
    pub id: Id,
    /// Name.
    pub channel_name: String,
    /// Whether it is the default for clients that name none.
    pub default: bool,
    /// Names of the channels whose releases are also offered to this channel's clients; omitted if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub includes: Vec<String>,
    /// The admin's user name.
    pub owner: String,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub updated_at: String,
}

/// Answer of `GET /channel/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelsBody {
    /// The channels that the caller may see, by name.
    pub channels: Vec<ChannelEntry>,
}
