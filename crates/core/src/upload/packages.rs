//! The packages that an uploader gives files, instead of their extensions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FileName;
use crate::{InvalidValue, Package, TextRule as _, quoted, quoted_json};

/// The problem with a given package.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPackages {
    /// The field is not a map of texts.
    #[error("invalid packages: an object with a package for each file name, not {0}")]
    NotAMap(String),
    /// A key is not a file name.
    #[error("invalid packages: {0}")]
    NoName(InvalidValue),
    /// The text cannot be the package of the file.
    #[error(
        "{0} cannot have the package {1}: use 1 to 32 lower-case letters, digits, \".\", \"-\" or \"_\", and not \
         the extension of another kind of file"
    )]
    Invalid(FileName, String),
    /// The upload has no such file.
    #[error("no such file for the package {1}: {0}")]
    NoFile(FileName, Package),
}

/// The packages that an uploader has given. All other files have the package of their extension.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packages(BTreeMap<FileName, Package>);

impl Packages {
    /// Parses an object such as `{"App-portable.exe": "portable"}`.
    pub fn from_json(value: &Value) -> Result<Self, InvalidPackages> {
        let mut packages = Self::default();
        let not_a_map = || InvalidPackages::NotAMap(quoted_json(value));
        for (name, package) in value.as_object().ok_or_else(not_a_map)? {
            let no_name = |_| InvalidValue::of_text("file name", FileName::RULE, name);
            let file: FileName = name.parse().map_err(|error| InvalidPackages::NoName(no_name(error)))?;
            packages.name(file, package.as_str().ok_or_else(not_a_map)?)?;
        }
        Ok(packages)
    }

    /// Sets the package of a file.
    pub fn name(&mut self, file: FileName, package: &str) -> Result<(), InvalidPackages> {
        match Package::from_uploader(package, file.as_str()) {
            Ok(package) if !file.is_feed() => {
                self.0.insert(file, package);
                Ok(())
            }
            _ => Err(InvalidPackages::Invalid(file, quoted(package))),
        }
    }

    /// Adds packages, which replace existing ones.
    pub fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// Whether no packages are given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The files with given packages.
    pub fn iter(&self) -> impl Iterator<Item = (&FileName, &Package)> {
        self.0.iter()
    }

    /// Whether the package of the file is named.
    pub fn is_named(&self, file: &FileName) -> bool {
        self.0.contains_key(file)
    }

    /// The package of a file.
    pub fn of(&self, file: &FileName) -> Package {
        self.0.get(file).cloned().unwrap_or_else(|| file.package())
    }

    /// The key that must be unique within a release's platform and architecture: the package, or the file
    /// name if [`FileName::is_told_apart_by_name`].
    pub fn slot(&self, file: &FileName) -> String {
        if file.is_told_apart_by_name() { file.as_str().to_owned() } else { self.of(file).into() }
    }

    /// An error unless all files with named packages are among these.
    pub fn require_files(&self, files: &[&FileName]) -> Result<(), InvalidPackages> {
        match self.0.iter().find(|(name, _)| !files.contains(name)) {
            Some((name, package)) => Err(InvalidPackages::NoFile(name.clone(), package.clone())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn named_packages_take_the_place_of_extensions() {
        let read = Packages::from_json(&json!({ "App-portable.exe": "portable" })).unwrap();
        for (file, package, slot) in [
            ("App-portable.exe", "portable", "portable"),
            ("App.exe", "exe", "exe"),
            ("a.DEB", "deb", "deb"),
            ("a", "no-extension", "no-extension"),
            ("App-full.nupkg", "nupkg", "App-full.nupkg"),
            ("a.exe.blockmap", "blockmap", "a.exe.blockmap"),
            ("latest.yml", "yml", "latest.yml"),
            ("RELEASES", "no-extension", "RELEASES"),
            ("assets.win.json", "json", "json"),
        ] {
            let file: FileName = file.parse().unwrap();
            assert_eq!((read.of(&file).as_str(), read.slot(&file).as_str()), (package, slot));
        }
        assert_eq!(serde_json::from_value::<Packages>(json!(read)).unwrap(), read);
        let error = read.require_files(&[&"App.exe".parse().unwrap()]).unwrap_err();
        assert_eq!(error.to_string(), "no such file for the package portable: App-portable.exe");
    }

    #[test]
    fn errors_name_file_and_rule() {
        for (packages, text) in [
            (json!([]), "invalid packages: an object with a package for each file name, not []"),
            (
                json!({ "a.exe": 1 }),
                "invalid packages: an object with a package for each file name, not {\"a.exe\":1}",
            ),
            (
                json!({ "a/b": "x" }),
                "invalid packages: file name: 1 to 255 bytes on one line, without `/` and `\\`, without a space at either \
                 end, and not `.` or `..`, not \"a/b\"",
            ),
            (
                json!({ "a.exe": "zip" }),
                "a.exe cannot have the package \"zip\": use 1 to 32 lower-case letters, digits, \".\", \"-\" or \"_\", \
                 and not the extension of another kind of file",
            ),
        ] {
            assert_eq!(Packages::from_json(&packages).unwrap_err().to_string(), text);
        }
    }
}
