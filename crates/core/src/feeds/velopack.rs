//! `releases.{channel}.json` of Velopack.
//!
//! The fields are those of `VelopackAsset` in [Velopack](https://github.com/velopack/velopack). Its C# client
//! ignores the case of property names; its native client does not.

mod channel;
mod check;
mod format;
mod json;
mod parse;
mod render;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub use channel::{VelopackChannel, velopack_channel};
pub(super) use format::{StoredForm, Velopack};

use crate::Version;

/// The name of the feed in errors.
const FEED: &str = "releases.{channel}.json";

/// The type of an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum VelopackAssetKind {
    /// A package with a whole version.
    Full,
    /// A package with the changes from the previous version.
    Delta,
    /// An archive that runs without being installed.
    Portable,
    /// An installer.
    Installer,
    /// A Windows Installer package.
    Msi,
}

/// A file of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VelopackAsset {
    /// The name of the application.
    pub package_id: String,
    /// As written, because clients compare it with the version inside the package.
    pub version: String,
    /// Its type.
    pub kind: VelopackAssetKind,
    /// The file name. In a `VelopackIndex` it is a file name or an absolute URL, as written.
    pub file_name: String,
    /// 40 hexadecimal digits, in the case written.
    pub sha1: String,
    /// 64 hexadecimal digits, in the case written. Older tools write none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// In bytes.
    pub size: u64,
    /// Release notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes_markdown: Option<String>,
    /// Release notes, rendered as HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes_html: Option<String>,
}

/// The stored form of the feed: the assets of the release itself. Older assets are in the feeds of
/// their releases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VelopackFeed {
    /// At least one of them is full.
    pub assets: Vec<VelopackAsset>,
    /// The version that the delta starts from: the highest full package below the release in the feed.
    /// `None`: unknown, so deltas are not served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta_base: Option<Version>,
}

impl VelopackFeed {
    /// The first asset of a kind.
    pub fn asset(&self, kind: VelopackAssetKind) -> Option<&VelopackAsset> {
        self.assets.iter().find(|asset| asset.kind == kind)
    }
}
