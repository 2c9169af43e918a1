//! What a client asks.

use spindrift_auth::DownloadToken;
use spindrift_core::{DeviceId, Scope, Version};

/// What a client asks.
#[derive(Debug, Clone)]
pub struct Question {
    /// What it asks about.
    pub scope: Scope,
    /// The version that it has.
    pub version: Version,
    /// The updater that it is; `None`: the platform's default.
    pub updater: Option<String>,
    /// The device, when it said so.
    pub device: Option<DeviceId>,
    /// What it downloads files of a private application with.
    pub download_token: Option<DownloadToken>,
}

impl Question {
    /// A question without anything that would make the answer somebody's own.
    pub const fn of_anybody(scope: Scope, version: Version) -> Self {
        Self { scope, version, updater: None, device: None, download_token: None }
    }
}
