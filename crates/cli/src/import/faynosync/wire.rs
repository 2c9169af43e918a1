//! The parts of the old server's answers that are read. Its lists are `null` when they are empty.

use serde::{Deserialize, Deserializer};
use spindrift_api::{PermissionsBody, UpdaterBody};

use crate::secret::Secret;

fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Answer of `GET /whoami`.
#[derive(Debug, Deserialize)]
pub(super) struct FaynoSyncLogin {
    pub(super) username: String,
    #[serde(default)]
    pub(super) is_admin: bool,
}

/// Answer of `GET /app/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FaynoSyncApps {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) apps: Vec<FaynoSyncApp>,
}

#[expect(clippy::struct_excessive_bools, reason = "the shape of the wire format: independent switches")]
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct FaynoSyncApp {
    #[serde(rename = "ID")]
    pub(super) id: String,
    #[serde(rename = "AppName")]
    pub(super) name: String,
    /// URL; empty without a logo.
    pub(super) logo: String,
    pub(super) private: bool,
    pub(super) tuf: bool,
    pub(super) reports: bool,
    pub(super) cdn_edge: bool,
    pub(super) description: String,
}

/// Answer of `GET /channel/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FaynoSyncChannels {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) channels: Vec<FaynoSyncChannel>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FaynoSyncChannel {
    #[serde(rename = "ID")]
    pub(super) id: String,
    #[serde(rename = "ChannelName")]
    pub(super) name: String,
}

/// Answer of `GET /platform/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FaynoSyncPlatforms {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) platforms: Vec<FaynoSyncPlatform>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct FaynoSyncPlatform {
    #[serde(rename = "ID")]
    pub(super) id: String,
    #[serde(rename = "PlatformName")]
    pub(super) name: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) updaters: Vec<UpdaterBody>,
}

/// Answer of `GET /arch/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FaynoSyncArchs {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) archs: Vec<FaynoSyncArch>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FaynoSyncArch {
    #[serde(rename = "ID")]
    pub(super) id: String,
    #[serde(rename = "ArchID")]
    pub(super) name: String,
}

/// Answer of `GET /search`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FaynoSyncReleases {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) items: Vec<FaynoSyncRelease>,
    /// Total number of releases on all pages.
    #[serde(default)]
    pub(super) total: u64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct FaynoSyncRelease {
    /// An object id of `MongoDB`: its first eight hexadecimal digits are the creation time.
    #[serde(rename = "ID")]
    pub(super) id: String,
    pub(super) version: String,
    pub(super) channel: String,
    pub(super) published: bool,
    pub(super) critical: bool,
    pub(super) intermediate: bool,
    #[serde(deserialize_with = "or_default")]
    pub(super) artifacts: Vec<FaynoSyncArtifact>,
    #[serde(deserialize_with = "or_default")]
    pub(super) changelog: Vec<FaynoSyncChanges>,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub(super) updated_at: String,
    /// `None`: all devices.
    pub(super) rollout_percent: Option<i64>,
}

/// A file of a release, or one of its feeds.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct FaynoSyncArtifact {
    pub(super) link: String,
    pub(super) platform: String,
    pub(super) arch: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct FaynoSyncChanges {
    pub(super) changes: String,
    /// `YYYY-MM-DD`.
    pub(super) date: String,
}

/// Answer of `GET /users/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FaynoSyncUsers {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) users: Vec<FaynoSyncUser>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FaynoSyncUser {
    pub(super) username: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) permissions: PermissionsBody,
}

/// Answer of `GET /report-keys/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FaynoSyncReportKeys {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) report_keys: Vec<FaynoSyncReportKey>,
}

/// The key with which copies of an application report failures.
#[derive(Debug, Deserialize)]
pub(super) struct FaynoSyncReportKey {
    pub(super) app_name: String,
    pub(super) key_value: Secret,
}

/// Answer of `GET /token/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct FaynoSyncTokens {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) tokens: Vec<FaynoSyncToken>,
}

/// A CI token, without its value.
#[derive(Debug, Deserialize)]
pub(super) struct FaynoSyncToken {
    pub(super) name: String,
}

/// Answer of `GET /download?key=`, where downloads need a login.
#[derive(Deserialize)]
pub(super) struct DownloadUrl {
    pub(super) download_url: String,
}

/// Answer to a check with Tauri's updater. Only the signature is read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TauriCheck {
    pub(super) url: String,
    pub(super) signature: String,
}
