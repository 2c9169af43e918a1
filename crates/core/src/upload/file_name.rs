//! Names of uploaded files.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Package, is_deceptive};

/// Longest file name, in bytes of UTF-8: the limit of common file systems.
pub const MAX_FILE_NAME_BYTES: usize = 255;

/// The text is not a file name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid file name")]
pub struct InvalidFileName;

/// The name of a file without a path: 1-255 bytes without `/`, `\` and [deceptive](is_deceptive)
/// characters, not `.` or `..`, and without surrounding white space. Inner spaces and all scripts
/// are allowed. Comparison is exact.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FileName(String);

impl FileName {
    /// The name, as given.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The package of the file.
    pub fn package(&self) -> Package {
        Package::from_file_name(&self.0)
    }

    /// The name of a patch that produces this file from a version.
    ///
    /// # Errors
    ///
    /// The name would be too long.
    pub fn of_patch(&self, base_version: &str) -> Result<Self, InvalidFileName> {
        format!("{self}.from-{base_version}.patch").parse()
    }
}

impl FromStr for FileName {
    type Err = InvalidFileName;

    fn from_str(text: &str) -> Result<Self, InvalidFileName> {
        let ok = (1..=MAX_FILE_NAME_BYTES).contains(&text.len())
            && !text.chars().any(|c| matches!(c, '/' | '\\') || is_deceptive(c))
            && !matches!(text, "." | "..")
            && text.trim() == text;
        if ok { Ok(Self(text.to_owned())) } else { Err(InvalidFileName) }
    }
}

impl TryFrom<String> for FileName {
    type Error = InvalidFileName;

    fn try_from(text: String) -> Result<Self, InvalidFileName> {
        text.parse()
    }
}

impl From<FileName> for String {
    fn from(name: FileName) -> Self {
        name.0
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names() {
        let longest = "ä".repeat(127) + "b";
        for good in ["a", "My App 1.0.dmg", "приложение.deb", ".env", "a..b", "...", "a%2Fb", "a:b", &longest]
        {
            assert_eq!(good.parse::<FileName>().map(String::from), Ok(good.to_owned()));
        }
        let long = "a".repeat(300);
        let one_more = "a".repeat(256);
        for bad in [
            "",
            ".",
            "..",
            "a/b",
            "/a",
            "a\\b",
            "a\0b",
            "a\nb",
            "\u{7f}",
            "a\u{85}b",
            " a",
            "a ",
            "\u{a0}a",
            "gpj.\u{202e}exe",
            &long,
            &one_more,
        ] {
            assert_eq!(bad.parse::<FileName>(), Err(InvalidFileName), "{bad:?}");
        }
    }
}
