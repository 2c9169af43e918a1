//! Apps that use electron-updater.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Checked, Failed};
use crate::packages::ClientPackage;

/// The platform and the package type of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Windows, with an installer.
    Nsis,
    /// macOS, with a zip file.
    Mac,
    /// Linux, as an `AppImage`.
    AppImage,
    /// Linux, from a Debian package.
    Deb,
    /// Linux, from an RPM package.
    Rpm,
}

impl Platform {
    fn updater(self) -> &'static str {
        match self {
            Self::Nsis => "NsisUpdater",
            Self::Mac => "MacUpdater",
            Self::AppImage => "AppImageUpdater",
            Self::Deb => "DebUpdater",
            Self::Rpm => "RpmUpdater",
        }
    }

    /// The name in `process.platform`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nsis => "win32",
            Self::Mac => "darwin",
            Self::AppImage | Self::Deb | Self::Rpm => "linux",
        }
    }
}

/// A version of electron-updater, which `tests/clients/electron` pins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Updater {
    /// The newest stable one.
    Newest,
    /// The oldest that apps still have.
    Oldest,
}

impl Updater {
    /// Both versions.
    pub const ALL: [Self; 2] = [Self::Newest, Self::Oldest];

    fn library(self) -> &'static str {
        match self {
            Self::Newest => "electron-updater",
            Self::Oldest => "electron-updater-oldest",
        }
    }
}

#[derive(Debug, Clone)]
pub struct ElectronApp {
    pub updater: Updater,
    /// Base URL of the feed.
    pub base: String,
    pub platform: Platform,
    /// The name in `process.arch`: `x64`, `arm64`, ...
    pub arch: String,
    pub version: String,
    /// Channel in the app's configuration; `latest` if `None`.
    pub channel: Option<String>,
    /// UUID of the installation; the updater generates one if `None`.
    pub staging_user_id: Option<String>,
    /// The app's `allowDowngrade`.
    pub allow_downgrade: bool,
    /// The package of the installed version. With it, the updater downloads only the differences.
    pub installed: Option<PathBuf>,
    /// Whether the app assumes that the server supports several ranges in one request. The storage of
    /// `spindrift up` does, S3 does not.
    pub multiple_ranges: bool,
    /// Whether it downloads an update.
    pub download: bool,
}

impl ElectronApp {
    /// An app that downloads updates.
    pub fn new(base: &str, platform: Platform, arch: &str, version: &str) -> Self {
        Self {
            updater: Updater::Newest,
            base: base.to_owned(),
            platform,
            arch: arch.to_owned(),
            version: version.to_owned(),
            channel: None,
            staging_user_id: None,
            allow_downgrade: false,
            installed: None,
            multiple_ranges: false,
            download: true,
        }
    }

    /// Lets the updater check for an update, and download it if it is configured to.
    pub fn check(&self, client: &ClientPackage) -> Result<Checked, Failed> {
        let folder = tempfile::tempdir().expect("a folder");
        let answer = client.run(
            "check.mjs",
            &json!({
                "library": self.updater.library(),
                "updater": self.platform.updater(),
                "platform": self.platform.name(),
                "arch": self.arch,
                "url": self.base,
                "version": self.version,
                "channel": self.channel,
                "stagingUserId": self.staging_user_id,
                "allowDowngrade": self.allow_downgrade,
                "download": self.download,
                "installed": self.installed,
                "multipleRanges": self.multiple_ranges,
                "directory": folder.path(),
            }),
        );
        if answer.get("error").is_some() { Err(read(answer)) } else { Ok(read(answer)) }
    }
}

fn read<T: serde::de::DeserializeOwned>(answer: Value) -> T {
    let text = answer.to_string();
    serde_json::from_value(answer).unwrap_or_else(|error| panic!("{error}: {text}"))
}
