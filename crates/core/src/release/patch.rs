//! Patches: files that turn a file of an older release into one of a newer release.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{FileName, InvalidValue, Package, Packages, Sha256Hex, TextRule, Updater, Version, quoted_json};

/// Maximum number of patches for one file in an upload, and in the answers of checks: those from
/// the newest versions.
pub const MAX_PATCHES_OF_FILE: usize = 10;

/// How to apply a patch. Clients ignore patches in unknown formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PatchFormat {
    /// A [bidiff](https://github.com/divvun/bidiff) patch of version 0x1000, compressed with Brotli (RFC
    /// 7932).
    #[serde(rename = "bidiff+brotli")]
    BidiffBrotli,
    /// Written by Sparkle's [BinaryDelta](https://sparkle-project.org/documentation/delta-updates),
    /// for Squirrel.Mac. It turns the application in one `.zip` into the one in another `.zip`.
    #[serde(rename = "binary-delta")]
    BinaryDelta,
}

impl PatchFormat {
    /// The format of patches for a file, which its updater can apply. `None`: patches are not made
    /// for such files.
    pub fn for_file(package: &Package, updater: Option<Updater>) -> Option<Self> {
        if package.may_repeat() {
            return None;
        }
        let is_archive_of_application = updater == Some(Updater::SquirrelDarwin) && package.as_str() == "zip";
        Some(if is_archive_of_application { Self::BinaryDelta } else { Self::BidiffBrotli })
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BidiffBrotli => "bidiff+brotli",
            Self::BinaryDelta => "binary-delta",
        }
    }
}

impl FromStr for PatchFormat {
    type Err = InvalidPatchFormat;

    fn from_str(text: &str) -> Result<Self, InvalidPatchFormat> {
        let mut formats = [Self::BidiffBrotli, Self::BinaryDelta].into_iter();
        formats.find(|format| format.as_str() == text).ok_or(InvalidPatchFormat)
    }
}

impl fmt::Display for PatchFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The description of a file that is a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// The package of the resulting file, which is in the same release, platform and architecture.
    pub package: Package,
    /// How to apply it.
    pub format: PatchFormat,
    /// The version that the base was published as.
    pub base_version: Version,
    /// The digest of the base, which is the file that the patch is applied to.
    pub base_sha256: Sha256Hex,
}

/// The text is not a format of patches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a format of patches")]
pub struct InvalidPatchFormat;

/// The patches among the files of an upload, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patches(BTreeMap<FileName, Patch>);

/// The problem with the patches of an upload.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPatches {
    /// The value is not a list of objects.
    #[error("invalid patches: a list of objects, not {0}")]
    NotAList(String),
    /// A field of an entry is missing or invalid. Positions count from 0.
    #[error("invalid patches[{0}].{1}")]
    Field(usize, InvalidValue),
    /// Two entries have the same name.
    #[error("duplicate patch: {0}")]
    Duplicate(FileName),
    /// An entry does not name a file of the upload.
    #[error("no such file for a patch: {0}")]
    NoFile(FileName),
    /// A file has the name of a patch, but no entry describes it.
    #[error("a file with the extension .patch needs an entry in patches: {0}")]
    Undescribed(FileName),
    /// The upload lacks the file that results from a patch.
    #[error("{0} makes a file with the package {1}, which is not in this upload")]
    MakesNothing(FileName, Package),
    /// A file has more than [`MAX_PATCHES_OF_FILE`] patches.
    #[error("too many patches for the package {0}: at most {MAX_PATCHES_OF_FILE}")]
    TooMany(Package),
}

impl Patches {
    /// Reads a list of `{"name", "package", "format", "base_version", "base_sha256"}`.
    pub fn from_json(value: &Value) -> Result<Self, InvalidPatches> {
        let mut patches = BTreeMap::new();
        let not_a_list = || InvalidPatches::NotAList(quoted_json(value));
        for (position, entry) in value.as_array().ok_or_else(not_a_list)?.iter().enumerate() {
            let entry = entry.as_object().ok_or_else(not_a_list)?;
            let read = || Ok((field(entry, "name")?, Patch::read(entry)?));
            let (name, patch) = read().map_err(|field| InvalidPatches::Field(position, field))?;
            if let Some((name, _)) = patches.remove_entry(&name) {
                return Err(InvalidPatches::Duplicate(name));
            }
            patches.insert(name, patch);
        }
        Ok(Self(patches))
    }

    /// Whether there are no patches.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The patches with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&FileName, &Patch)> {
        self.0.iter()
    }

    /// The description of a file. `None`: it is not a patch.
    pub fn get(&self, name: &FileName) -> Option<&Patch> {
        self.0.get(name)
    }

    /// The files of an upload that are not patches, after checking the patches.
    pub fn others<'a>(
        &self,
        files: &[&'a FileName],
        packages: &Packages,
    ) -> Result<Vec<&'a FileName>, InvalidPatches> {
        if let Some(name) = self.0.keys().find(|name| !name.package().is_patch() || !files.contains(name)) {
            return Err(InvalidPatches::NoFile(name.clone()));
        }
        let (patches, others): (Vec<&FileName>, Vec<&FileName>) =
            files.iter().partition(|name| name.package().is_patch());
        if let Some(name) = patches.into_iter().find(|name| !self.0.contains_key(*name)) {
            return Err(InvalidPatches::Undescribed(name.clone()));
        }
        for (name, patch) in &self.0 {
            let is_made = |other: &&FileName| packages.of(other) == patch.package;
            if patch.package.may_repeat() || !others.iter().any(is_made) {
                return Err(InvalidPatches::MakesNothing(name.clone(), patch.package.clone()));
            }
            if self.0.values().filter(|other| other.package == patch.package).count() > MAX_PATCHES_OF_FILE {
                return Err(InvalidPatches::TooMany(patch.package.clone()));
            }
        }
        Ok(others)
    }
}

impl Patch {
    fn read(entry: &Map<String, Value>) -> Result<Self, InvalidValue> {
        Ok(Self {
            package: field(entry, "package")?,
            format: field(entry, "format")?,
            base_version: field(entry, "base_version")?,
            base_sha256: field(entry, "base_sha256")?,
        })
    }
}

fn field<T: FromStr + TextRule>(entry: &Map<String, Value>, name: &'static str) -> Result<T, InvalidValue> {
    let value = entry.get(name).unwrap_or(&Value::Null);
    let read = value.as_str().and_then(|text| text.parse().ok());
    read.ok_or_else(|| InvalidValue::of_json(name, T::RULE, value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(name: &str, package: &str) -> Value {
        json!({
            "name": name, "package": package, "format": "bidiff+brotli", "base_version": "1.0",
            "base_sha256": "ab".repeat(32),
        })
    }

    fn others(patches: &Value, files: &str) -> Result<String, String> {
        let names: Vec<FileName> = files.split(' ').map(|name| name.parse().unwrap()).collect();
        let patches = Patches::from_json(patches).map_err(|error| error.to_string())?;
        let names: Vec<_> = names.iter().collect();
        let others = patches.others(&names, &Packages::default()).map_err(|error| error.to_string())?;
        Ok(others.into_iter().map(FileName::as_str).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn patches_are_told_from_the_files_that_they_make() {
        let patches = json!([entry("a.deb.patch", "deb"), entry("b.patch", "no-extension")]);
        assert_eq!(others(&patches, "a.deb a.deb.patch tool b.patch").unwrap(), "a.deb tool");
        assert_eq!(others(&json!([]), "a.deb").unwrap(), "a.deb");
        let read = Patches::from_json(&patches).unwrap();
        let patch = read.get(&"a.deb.patch".parse().unwrap()).unwrap();
        assert_eq!((patch.package.as_str(), patch.base_version.as_str()), ("deb", "1.0"));
        assert_eq!(serde_json::from_value::<Patches>(json!(read)).unwrap(), read);
    }

    #[test]
    fn errors_name_the_file() {
        let one = json!([entry("a.patch", "deb")]);
        let many: Vec<Value> =
            (0..=MAX_PATCHES_OF_FILE).map(|n| entry(&format!("{n}.patch"), "deb")).collect();
        let many_names: Vec<String> = (0..=MAX_PATCHES_OF_FILE).map(|n| format!("{n}.patch")).collect();
        for (patches, files, text) in [
            (json!({}), "a.deb", "invalid patches: a list of objects, not {}"),
            (json!([1]), "a.deb", "invalid patches: a list of objects, not [1]"),
            (
                json!([{ "name": "a.patch" }]),
                "a.deb",
                "invalid patches[0].package: a package like deb or tar.gz, in at most 64 characters, not null",
            ),
            (
                json!([entry("a/b", "deb")]),
                "a.deb",
                "invalid patches[0].name: 1 to 255 bytes on one line, without `/` and `\\`, without a space at either end, \
                 and not `.` or `..`, not \"a/b\"",
            ),
            (json!([entry("a.patch", "deb"), entry("a.patch", "deb")]), "a.deb", "duplicate patch: a.patch"),
            (one.clone(), "a.deb", "no such file for a patch: a.patch"),
            (json!([entry("a.deb", "deb")]), "a.deb", "no such file for a patch: a.deb"),
            (
                one.clone(),
                "a.deb a.patch b.patch",
                "a file with the extension .patch needs an entry in patches: b.patch",
            ),
            (one, "a.rpm a.patch", "a.patch makes a file with the package deb, which is not in this upload"),
            (
                json!([entry("a.patch", "nupkg")]),
                "a.nupkg a.patch",
                "a.patch makes a file with the package nupkg, which is not in this upload",
            ),
            (
                json!(many),
                &format!("a.deb {}", many_names.join(" ")),
                "too many patches for the package deb: at most 10",
            ),
        ] {
            assert_eq!(others(&patches, files).unwrap_err(), text, "{patches}");
        }
        let mut unknown = entry("a.patch", "deb");
        unknown["format"] = json!("vcdiff");
        let message = others(&json!([unknown]), "a.deb a.patch").unwrap_err();
        assert_eq!(message, "invalid patches[0].format: bidiff+brotli or binary-delta, not \"vcdiff\"");
    }
}
