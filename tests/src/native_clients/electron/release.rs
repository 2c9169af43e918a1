//! Releases as electron-builder publishes them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::app::Platform;
use crate::packages::ClientPackage;

/// A release in its own folder. Dropping it removes the folder.
#[derive(Debug)]
pub struct ElectronRelease {
    folder: TempDir,
    platform: Platform,
    version: String,
    channel: Option<String>,
    info: Value,
    files: Vec<Value>,
}

impl ElectronRelease {
    /// A release without packages.
    pub fn new(platform: Platform, version: &str) -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            platform,
            version: version.to_owned(),
            channel: None,
            info: json!({}),
            files: Vec::new(),
        }
    }

    /// Sets a channel other than `latest`.
    #[must_use]
    pub fn with_channel(mut self, channel: &str) -> Self {
        self.channel = Some(channel.to_owned());
        self
    }

    /// Sets `releaseInfo`: `releaseNotes`, `releaseName`, `stagingPercentage`, `minimumSystemVersion`, ...
    #[must_use]
    pub fn with_info(mut self, info: Value) -> Self {
        self.info = info;
        self
    }

    /// Adds a package for `x64`, `arm64`, ... or for all architectures.
    #[must_use]
    pub fn with_package(mut self, name: &str, arch: Option<&str>, bytes: &[u8]) -> Self {
        std::fs::write(self.folder.path().join(name), bytes).expect("a file");
        self.files.push(json!({ "name": name, "arch": arch }));
        self
    }

    /// Creates the block maps and the `.yml` files. The block map of an `AppImage` is appended to it.
    #[must_use]
    pub fn build(self, tools: &ClientPackage) -> Self {
        let _names = tools.run(
            "build.mjs",
            &json!({
                "directory": self.folder.path(),
                "platform": self.platform.name(),
                "version": self.version,
                "channel": self.channel,
                "releaseInfo": self.info,
                "files": self.files,
            }),
        );
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Names and contents of all files, sorted by name.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder");
        let mut files: Vec<_> = entries.map(|entry| read(&entry.expect("an entry").path())).collect();
        files.sort();
        files
    }
}

fn read(path: &Path) -> (String, Vec<u8>) {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    (name, std::fs::read(path).expect("a file"))
}
