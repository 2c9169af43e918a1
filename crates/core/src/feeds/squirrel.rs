//! `RELEASES` of Squirrel.Windows.
//!
//! The rules follow its client, `ReleaseEntry` and `UpdateInfo` in
//! [Squirrel.Windows](https://github.com/Squirrel/Squirrel.Windows): how it parses lines and file
//! names, and how it uses the lines.

mod check;
mod format;
mod name;
mod parse;
mod render;
#[cfg(test)]
mod render_tests;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(super) use format::{SquirrelWindows, StoredForm};

use crate::Version;

/// The name of the feed in errors.
const FEED: &str = "RELEASES";

/// The content of a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PackageKind {
    /// A whole version.
    Full,
    /// The changes from the previous version to this one.
    Delta,
}

/// A package of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SquirrelPackage {
    /// The name of the uploaded file.
    pub file_name: String,
    /// 40 hexadecimal digits, in the case written.
    pub sha1: String,
    /// In bytes.
    pub size: u64,
    /// Its content.
    pub kind: PackageKind,
    /// The name of the application, as Squirrel reads it from the file name.
    pub package_id: String,
}

/// The stored form of `RELEASES`: the packages of the release itself. Older packages are in the feeds of
/// their releases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SquirrelFeed {
    /// At least one of them is full.
    pub packages: Vec<SquirrelPackage>,
    /// The version that the deltas start from: the highest full package below the release in the
    /// feed, from which Squirrel makes deltas. `None`: unknown, so deltas are not served.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta_base: Option<Version>,
}

impl SquirrelFeed {
    /// The first package of a kind.
    pub fn package(&self, kind: PackageKind) -> Option<&SquirrelPackage> {
        self.packages.iter().find(|package| package.kind == kind)
    }
}
