//! Packages: what kind of file an artifact is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Maximum length of a package, in characters.
pub const MAX_PACKAGE_LENGTH: usize = 64;

/// The package of a file without an extension.
const NO_EXTENSION: &str = "no-extension";

/// The package of patches.
const PATCH: &str = "patch";

/// Extensions of two or more parts that count as one, longest first.
const COMPOUND: [&str; 4] = ["app.tar.gz", "tar.gz", "tar.xz", "tar.zst"];

/// Packages that updaters fetch through a feed or instead of a whole file, and that people never
/// download.
const FEED_ONLY: [&str; 3] = ["blockmap", "nupkg", PATCH];

/// Packages that one upload may contain several times: full and delta packages, block maps of several files,
/// patches.
const REPEATABLE: [&str; 4] = ["nupkg", "delta", "blockmap", PATCH];

/// Maximum length of a package that an uploader names, in characters. These names appear in URLs,
/// and people type them.
const MAX_NAMED_LENGTH: usize = 32;

/// Extensions by which people and updaters choose files. A file of another kind cannot have one of
/// them as its package.
const EXTENSIONS: [&str; 18] = [
    "7z",
    "apk",
    "app.tar.gz",
    "appimage",
    "deb",
    "dmg",
    "exe",
    "gz",
    "json",
    "msi",
    "msix",
    "pkg",
    "rpm",
    "snap",
    "tar.gz",
    "tar.xz",
    "tar.zst",
    "zip",
];

/// The text is not a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid package")]
pub struct InvalidPackage;

/// The extension of a file name, lower case and without its dot: `deb`, `app.tar.gz`; or `no-extension`.
///
/// 1-64 ASCII letters, digits, `_`, `-`, `+` and, between them, single dots. The alphabet is narrow because
/// packages appear in URLs and in JSON keys (`update_url_deb`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Package(String);

impl Package {
    /// The package of a file.
    ///
    /// It is the text after the last dot, unless the name ends in one of the compound extensions
    /// (`tar.gz`, `tar.xz`, `tar.zst`, `app.tar.gz`). A file has no extension if its only dot is
    /// the first character (`.env`), if it ends with a dot, if the text after the dot has only
    /// digits (`tool-1.2.3`), or if it could not be a package (`My App 1.0 final`).
    pub fn from_file_name(file_name: &str) -> Self {
        let lower = file_name.to_ascii_lowercase();
        let compound = COMPOUND.iter().find(|extension| has_extension(&lower, extension));
        let extension = match compound {
            Some(extension) => Some(*extension),
            None => {
                lower.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension)
            }
        };
        let extension = extension.filter(|text| !text.bytes().all(|b| b.is_ascii_digit()));
        extension.and_then(|text| text.parse().ok()).unwrap_or_else(|| Self(NO_EXTENSION.to_owned()))
    }

    /// The package that an uploader names for a file instead of its extension: 1-32 lower-case
    /// letters, digits, `_`, `-` and, between them, single dots. It must not be the extension of
    /// another kind of file. Files that a release may have several of are distinguished by name, so
    /// their package is always their extension.
    pub fn from_uploader(text: &str, file_name: &str) -> Result<Self, InvalidPackage> {
        let own = Self::from_file_name(file_name);
        let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b);
        let package = Self(text.to_owned());
        let is_name = is_package(text) && text.len() <= MAX_NAMED_LENGTH && text.bytes().all(is_plain);
        let is_taken = EXTENSIONS.contains(&text) || package.may_repeat() || package.is_feed_only();
        let is_free = package == own || !(is_taken || package.is_no_extension());
        if is_name && is_free && !own.may_repeat() { Ok(package) } else { Err(InvalidPackage) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the files have no extension.
    pub fn is_no_extension(&self) -> bool {
        self.0 == NO_EXTENSION
    }

    /// Whether these files get no `update_url_` key.
    pub fn is_feed_only(&self) -> bool {
        FEED_ONLY.contains(&self.as_str())
    }

    /// Whether the files are patches.
    pub fn is_patch(&self) -> bool {
        self.0 == PATCH
    }

    /// Whether a release may have several files of this package for one platform and architecture.
    pub fn may_repeat(&self) -> bool {
        REPEATABLE.contains(&self.as_str())
    }
}

fn has_extension(file_name: &str, extension: &str) -> bool {
    file_name
        .strip_suffix(extension)
        .and_then(|rest| rest.strip_suffix('.'))
        .is_some_and(|stem| !stem.is_empty())
}

fn is_package(text: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-+".contains(&b))
    };
    text.len() <= MAX_PACKAGE_LENGTH && text.split('.').all(part)
}

impl FromStr for Package {
    type Err = InvalidPackage;

    /// Upper case is accepted as lower case.
    fn from_str(text: &str) -> Result<Self, InvalidPackage> {
        let lower = text.to_ascii_lowercase();
        if is_package(&lower) { Ok(Self(lower)) } else { Err(InvalidPackage) }
    }
}

impl TryFrom<String> for Package {
    type Error = InvalidPackage;

    fn try_from(text: String) -> Result<Self, InvalidPackage> {
        text.parse()
    }
}

impl From<Package> for String {
    fn from(package: Package) -> Self {
        package.0
    }
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_file_names() {
        let long = format!("a.{}", "x".repeat(65));
        for (file_name, package) in [
            ("app.deb", "deb"),
            ("My App 1.0.DMG", "dmg"),
            ("app-1.2.3.tar.gz", "tar.gz"),
            ("app.tar.xz", "tar.xz"),
            ("app.TAR.ZST", "tar.zst"),
            ("My.app.tar.gz", "app.tar.gz"),
            (".app.tar.gz", "tar.gz"),
            (".tar.gz", "gz"),
            ("myapp.tar.gz", "tar.gz"),
            ("app.tar.bz2", "bz2"),
            ("app.app.tar.gz.sig", "sig"),
            ("App-1.0-full.nupkg", "nupkg"),
            ("tool-1.2.3", "no-extension"),
            ("libfoo.so.1", "no-extension"),
            ("tool-1.2.3.7z", "7z"),
            ("tool.1a", "1a"),
            ("x.c++", "c++"),
            ("app", "no-extension"),
            ("RELEASES", "no-extension"),
            (".env", "no-extension"),
            ("app.", "no-extension"),
            ("..", "no-extension"),
            ("", "no-extension"),
            ("My App 1.0 final", "no-extension"),
            ("файл.данные", "no-extension"),
            ("файл.zip", "zip"),
            (&long, "no-extension"),
        ] {
            assert_eq!(Package::from_file_name(file_name).as_str(), package, "{file_name:?}");
        }
    }

    #[test]
    fn texts() {
        let longest = "a".repeat(64);
        for (text, package) in [("Deb", "deb"), ("app.tar.gz", "app.tar.gz"), (&longest, &longest)] {
            assert_eq!(text.parse::<Package>().map(String::from), Ok(package.to_owned()));
        }
        let too_long = "a".repeat(65);
        for bad in ["", ".", ".deb", "deb.", "a..b", "a b", "a/b", "ä", "a\n", &too_long] {
            assert_eq!(bad.parse::<Package>(), Err(InvalidPackage), "{bad:?}");
        }
        assert!(serde_json::from_str::<Package>("\"a/b\"").is_err());
    }

    #[test]
    fn names_in_place_of_extensions() {
        let longest = "a".repeat(32);
        for (file, good) in [
            ("App.exe", "portable"),
            ("App.exe", "x64-setup.v2"),
            ("App.exe", "exe"),
            ("App.zip", "mac_store"),
            ("App", "cli"),
            ("App.exe", &longest),
        ] {
            assert_eq!(Package::from_uploader(good, file).map(String::from), Ok(good.to_owned()));
        }
        let too_long = "a".repeat(33);
        for (file, bad) in [
            ("App.exe", "Portable"),
            ("App.exe", ""),
            ("App.exe", "a b"),
            ("App.exe", "a+b"),
            ("App.exe", "a..b"),
            ("App.exe", "msi"),
            ("App.exe", "zip"),
            ("App.exe", "nupkg"),
            ("App.exe", "blockmap"),
            ("App.exe", "patch"),
            ("App.exe", "delta"),
            ("App.exe", "no-extension"),
            ("App.exe", &too_long),
            ("App-full.nupkg", "portable"),
            ("App.exe.blockmap", "portable"),
        ] {
            assert_eq!(Package::from_uploader(bad, file), Err(InvalidPackage), "{file} {bad}");
        }
    }

    #[test]
    fn kinds() {
        for (text, feed_only, may_repeat) in [
            ("nupkg", true, true),
            ("blockmap", true, true),
            ("delta", false, true),
            ("patch", true, true),
            ("deb", false, false),
            ("no-extension", false, false),
        ] {
            let package = Package::from_file_name(&format!("x.{text}"));
            assert_eq!((package.is_feed_only(), package.may_repeat()), (feed_only, may_repeat), "{text}");
        }
    }
}
