//! `*.yml` of electron-builder, read by electron-updater.
//!
//! The fields are those of `UpdateInfo` in
//! [electron-builder](https://github.com/electron-userland/electron-builder).

mod check;
mod format;
mod parse;
mod quote;
mod reference;
mod render;
#[cfg(test)]
mod tests;
mod yaml;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

pub(super) use format::{ElectronBuilder, StoredForm};
pub use reference::FILES_FOLDER;

use super::FeedError;

/// The name of the feed in errors.
const FEED: &str = "*.yml";

/// A feed as electron-builder wrote it. Here `file_name` is the reference as written: a file name or a URL,
/// with or without percent-encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ElectronYml(pub ElectronInfo);

/// A release as electron-updater sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElectronInfo {
    /// As written. Clients reject anything but SemVer.
    pub version: String,
    /// At least one. Clients choose by extension, and by the architecture in the URL.
    pub files: Vec<ElectronFile>,
    /// The packages of a web installer, by architecture.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<ElectronPackage>,
    /// As written: ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release_date: Option<String>,
    /// Shown to users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release_name: Option<String>,
    /// Shown to users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release_notes: Option<ElectronNotes>,
    /// The lowest supported version of the operating system's kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_system_version: Option<String>,
}

/// A file that clients download.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElectronFile {
    /// Its name.
    pub file_name: String,
    /// Base64 of the digest.
    pub sha512: String,
    /// In bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Bytes of the block map at the end of the file. A block map beside it, `{file}.blockmap`, is not
    /// listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_map_size: Option<u64>,
    /// Whether the installer needs an administrator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_admin_rights_required: Option<bool>,
}

/// A package that a web installer downloads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElectronPackage {
    /// `x64`, `ia32`, `arm64`.
    pub arch: String,
    /// The file.
    pub file: ElectronFile,
}

/// Release notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ElectronNotes {
    /// Notes of this release.
    Text(String),
    /// Notes of this and earlier releases.
    List(Vec<ElectronNote>),
}

/// The notes of one release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElectronNote {
    /// The release.
    pub version: String,
    /// Its notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl ElectronYml {
    /// Merges the feeds that electron-builder writes for its channels: the texts of the first, the files of
    /// all.
    pub(super) fn merge<'a>(mut feeds: impl Iterator<Item = &'a Self>) -> Result<Self, FeedError> {
        let Some(Self(first)) = feeds.next() else { return Err(FeedError::whole(FEED, "missing")) };
        let mut merged = first.clone();
        let mut known: HashMap<_, _> =
            first.files.iter().map(|file| (file.file_name.as_str(), &file.sha512)).collect();
        for Self(info) in feeds {
            if merged.version != info.version {
                return Err(FeedError::in_part(FEED, "version", "differs between feeds"));
            }
            for file in &info.files {
                match known.insert(&file.file_name, &file.sha512) {
                    None => merged.files.push(file.clone()),
                    Some(sha512) if *sha512 == file.sha512 => {}
                    Some(_) => {
                        return Err(FeedError::in_part(FEED, &file.file_name, "differs between feeds"));
                    }
                }
            }
            for package in &info.packages {
                if !merged.packages.iter().any(|known| known.arch == package.arch) {
                    merged.packages.push(package.clone());
                }
            }
        }
        Ok(Self(merged))
    }
}
