//! Bodies of shut-offs: while there is one, the clients that it names are offered nothing newer than what they have.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Body of `POST /shutoffs`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShutoffCreateBody {
    /// Name of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Only for clients that ask with this channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Only for clients that ask with this platform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Why: 1 to 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A shut-off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShutoffEntry {
    /// Its id.
    pub id: Id,
    /// Name of the application.
    pub app: String,
    /// The channel of the clients; empty: any.
    pub channel: String,
    /// Their platform; empty: any.
    pub platform: String,
    /// Why.
    pub reason: String,
    /// Name of the user or token.
    pub created_by: String,
    /// RFC 3339.
    pub created_at: String,
}

impl ShutoffEntry {
    /// The clients that it is for, in words.
    pub fn clients(&self) -> String {
        shut_off_clients(&self.channel, &self.platform)
    }
}

/// The clients of a shut-off, in words. An empty name means any.
pub fn shut_off_clients(channel: &str, platform: &str) -> String {
    match (channel, platform) {
        ("", "") => "all clients".to_owned(),
        (channel, "") => format!("clients in the channel {channel}"),
        ("", platform) => format!("clients on {platform}"),
        (channel, platform) => format!("clients in the channel {channel} on {platform}"),
    }
}

/// Answer of `GET /shutoffs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShutoffsBody {
    /// The shut-offs of the caller's applications, oldest first.
    pub shutoffs: Vec<ShutoffEntry>,
}
