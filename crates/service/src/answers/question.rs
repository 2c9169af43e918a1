//! A client's question.

use spindrift_auth::DownloadToken;
use spindrift_core::{DeviceId, SaidText, Scope, Version};

/// A client's question.
#[derive(Debug, Clone)]
pub struct Question {
    /// The scope that it asks about.
    pub scope: Scope,
    /// The client's version.
    pub version: Version,
    /// The updater that it uses. `None`: the platform's default.
    pub updater: Option<String>,
    /// The device, if it sent an identifier.
    pub device: Option<DeviceId>,
    /// Further facts that it says about itself.
    pub said: SaidText,
    /// The token for downloading files of a private application.
    pub download_token: Option<DownloadToken>,
}

impl Question {
    /// A question without anything that makes the answer personal.
    pub fn of_anybody(scope: Scope, version: Version) -> Self {
        let said = SaidText::default();
        Self { scope, version, updater: None, device: None, said, download_token: None }
    }
}
