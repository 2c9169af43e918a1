//! The question of an update check.

use spindrift_auth::DownloadToken;
use spindrift_core::{DeviceId, RawClientFacts, Scope, Version};

/// A client's question: is there something newer for me?
#[derive(Debug, Clone)]
pub struct Question {
    pub scope: Scope,
    pub version: Version,
    /// The updater, or `None` for the platform's default.
    pub updater: Option<String>,
    /// The device, if it sent an identifier.
    pub device: Option<DeviceId>,
    /// Further facts that the client sends about itself.
    pub facts: RawClientFacts,
    /// The token for downloading files of a private application.
    pub download_token: Option<DownloadToken>,
}

impl Question {
    /// A question that says nothing about the client, so that its answer can be shared.
    pub fn anonymous(scope: Scope, version: Version) -> Self {
        let facts = RawClientFacts::default();
        Self { scope, version, updater: None, device: None, facts, download_token: None }
    }
}
