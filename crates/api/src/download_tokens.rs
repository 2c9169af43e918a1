//! Bodies of download tokens.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Answer of `GET /download-tokens/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DownloadTokensBody {
    /// By application and channel. Tokens for all channels of an application come before tokens for one channel.
    pub download_tokens: Vec<DownloadTokenEntry>,
}

/// A download token, without the token itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DownloadTokenEntry {
    /// Id.
    pub id: Id,
    /// The application.
    pub app_id: Id,
    /// Name of the application.
    pub app_name: String,
    /// The channel; `null`: all channels.
    pub channel_id: Option<Id>,
    /// Name of the channel.
    pub channel_name: Option<String>,
    /// The token's first characters.
    pub token_prefix: String,
    /// When the token was created, RFC 3339.
    pub updated_at: String,
}

/// Body of `POST /download-tokens/regenerate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegenerateDownloadTokenBody {
    /// The application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_id: Option<String>,
    /// The channel; left out or empty: all channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
}

/// Answer of `POST /download-tokens/regenerate`. No `Debug`: the token must not get into a log.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DownloadTokenBody {
    /// The application.
    pub app_id: Id,
    /// The channel; `null`: all channels.
    pub channel_id: Option<Id>,
    /// The token itself. It is never shown again.
    pub token: String,
}
