//! electron-updater and electron-builder, the npm packages, under Node. The scripts that run them are in
//! `tests/clients`.

mod app;
mod release;

pub use app::{ElectronApp, Platform, Updater};
pub use release::ElectronRelease;

use serde::Deserialize;

use crate::packages::ClientPackage;

/// The client. `None`: Node is not installed, a message reports that, and the test is skipped.
pub fn client() -> Option<&'static ClientPackage> {
    static CLIENT: ClientPackage = ClientPackage::node("electron");
    CLIENT.available()
}

/// The tools that make releases. `None` as in [`client`].
pub fn release_tools() -> Option<&'static ClientPackage> {
    static TOOLS: ClientPackage = ClientPackage::node("electron-builder");
    TOOLS.available()
}

/// The result of a check, and the updater's actions.
#[derive(Debug, Clone, Deserialize)]
pub struct Checked {
    /// Whether it offers an update.
    pub available: bool,
    /// Version in the feed.
    pub version: String,
    pub files: Vec<FeedFile>,
    /// The downloaded file, after its SHA-512 was checked.
    pub downloaded: Option<Downloaded>,
    /// The file that was passed to Squirrel.Mac.
    pub native: Option<Digest>,
    /// Every request, in order.
    pub requests: Vec<Request>,
    pub log: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Failed {
    /// Text of the error.
    pub error: String,
    /// Its code, such as `ERR_UPDATER_CHANNEL_FILE_NOT_FOUND`.
    pub code: Option<String>,
    /// Every request, in order.
    pub requests: Vec<Request>,
    pub log: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FeedFile {
    /// URL as written in the feed.
    pub url: String,
    /// In base64.
    pub sha512: String,
    /// Size in bytes.
    pub size: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Downloaded {
    /// Its path; the folder no longer exists.
    pub path: String,
    /// In base64.
    pub sha512: String,
    /// Size in bytes.
    pub size: u64,
}

/// A digest and a size.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Digest {
    /// In base64.
    pub sha512: String,
    /// Size in bytes.
    pub size: u64,
}

/// A request of the updater. Following a redirect is a separate request.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    pub method: String,
    pub url: String,
    /// Status of the answer; 0 if there was none.
    pub status: u16,
    /// `Range` header.
    pub range: Option<String>,
    /// `x-user-staging-id` header.
    pub staging_id: Option<String>,
    /// Number of bytes received of the body.
    pub received: u64,
}

#[cfg(test)]
mod tests;
