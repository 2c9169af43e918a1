//! electron-updater and electron-builder, the npm packages, under Node. `tests/clients` has the scripts that run them.

mod app;
mod release;

pub use app::{ElectronApp, Platform};
pub use release::ElectronRelease;

use serde::Deserialize;

use crate::packages::ClientPackage;

/// The client. `None` where there is no Node; then it has said so, and the test has nothing to run.
pub fn client() -> Option<&'static ClientPackage> {
    static CLIENT: ClientPackage = ClientPackage::node("electron");
    CLIENT.available()
}

/// What makes releases. `None` as in [`client`].
pub fn release_tools() -> Option<&'static ClientPackage> {
    static TOOLS: ClientPackage = ClientPackage::node("electron-builder");
    TOOLS.available()
}

/// What the updater found, and what it did.
#[derive(Debug, Clone, Deserialize)]
pub struct Checked {
    /// Whether it offers an update.
    pub available: bool,
    /// Version in the feed.
    pub version: String,
    /// Files in the feed.
    pub files: Vec<FeedFile>,
    /// What it downloaded, after it has compared the SHA-512.
    pub downloaded: Option<Downloaded>,
    /// What it handed over to Squirrel.Mac.
    pub native: Option<Digest>,
    /// Every request, in order.
    pub requests: Vec<Request>,
    /// What the updater logged.
    pub log: Vec<String>,
}

/// A check that failed.
#[derive(Debug, Clone, Deserialize)]
pub struct Failed {
    /// Text of the error.
    pub error: String,
    /// Its code, such as `ERR_UPDATER_CHANNEL_FILE_NOT_FOUND`.
    pub code: Option<String>,
    /// Every request, in order.
    pub requests: Vec<Request>,
    /// What the updater logged.
    pub log: Vec<String>,
}

/// A file in the feed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FeedFile {
    /// Address as it is in the feed.
    pub url: String,
    /// In base64.
    pub sha512: String,
    /// Bytes.
    pub size: Option<u64>,
}

/// A file that was downloaded.
#[derive(Debug, Clone, Deserialize)]
pub struct Downloaded {
    /// Where it was; the folder is gone by now.
    pub path: String,
    /// In base64.
    pub sha512: String,
    /// Bytes.
    pub size: u64,
}

/// A digest and a length.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Digest {
    /// In base64.
    pub sha512: String,
    /// Bytes.
    pub size: u64,
}

/// A request of the updater. A redirect is followed by a request of its own.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// Method.
    pub method: String,
    /// Whole address.
    pub url: String,
    /// Status of the answer; 0 without one.
    pub status: u16,
    /// `Range` header.
    pub range: Option<String>,
    /// `x-user-staging-id` header.
    pub staging_id: Option<String>,
    /// Bytes of the body that arrived.
    pub received: u64,
}

#[cfg(test)]
mod tests;
