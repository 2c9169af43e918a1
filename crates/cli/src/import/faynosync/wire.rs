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
pub(super) struct Whoami {
    pub(super) username: String,
    #[serde(default)]
    pub(super) is_admin: bool,
}

/// Answer of `GET /app/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Apps {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) apps: Vec<App>,
}

#[expect(clippy::struct_excessive_bools, reason = "the shape of the wire format: independent switches")]
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct App {
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
pub(super) struct Channels {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) channels: Vec<Channel>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    #[serde(rename = "ID")]
    pub(super) id: String,
    #[serde(rename = "ChannelName")]
    pub(super) name: String,
}

/// Answer of `GET /platform/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Platforms {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) platforms: Vec<Platform>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Platform {
    #[serde(rename = "ID")]
    pub(super) id: String,
    #[serde(rename = "PlatformName")]
    pub(super) name: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) updaters: Vec<UpdaterBody>,
}

/// Answer of `GET /arch/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Archs {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) archs: Vec<Arch>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Arch {
    #[serde(rename = "ID")]
    pub(super) id: String,
    #[serde(rename = "ArchID")]
    pub(super) name: String,
}

/// Answer of `GET /search`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Page {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) items: Vec<Release>,
    /// Total number of releases on all pages.
    #[serde(default)]
    pub(super) total: u64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct Release {
    /// An object id of `MongoDB`: its first eight hexadecimal digits are the creation time.
    #[serde(rename = "ID")]
    pub(super) id: String,
    pub(super) version: String,
    pub(super) channel: String,
    pub(super) published: bool,
    pub(super) critical: bool,
    pub(super) intermediate: bool,
    #[serde(deserialize_with = "or_default")]
    pub(super) artifacts: Vec<Artifact>,
    #[serde(deserialize_with = "or_default")]
    pub(super) changelog: Vec<Changes>,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub(super) updated_at: String,
    /// `None`: all devices.
    pub(super) rollout_percent: Option<i64>,
}

/// A file of a release, or one of its feeds.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Artifact {
    pub(super) link: String,
    pub(super) platform: String,
    pub(super) arch: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(super) struct Changes {
    pub(super) changes: String,
    /// `YYYY-MM-DD`.
    pub(super) date: String,
}

/// Answer of `GET /users/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Users {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) users: Vec<User>,
}

#[derive(Debug, Deserialize)]
pub(super) struct User {
    pub(super) username: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(super) permissions: PermissionsBody,
}

/// Answer of `GET /report-keys/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ReportKeys {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) report_keys: Vec<ReportKey>,
}

/// The key with which copies of an application report failures.
#[derive(Debug, Deserialize)]
pub(super) struct ReportKey {
    pub(super) app_name: String,
    pub(super) key_value: Secret,
}

/// Answer of `GET /token/list`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Tokens {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) tokens: Vec<Token>,
}

/// A CI token, without its value.
#[derive(Debug, Deserialize)]
pub(super) struct Token {
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
