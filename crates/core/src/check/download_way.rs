//! How a client downloaded a release.

use std::fmt;
use std::str::FromStr;

/// How a client got the file of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DownloadWay {
    /// It downloaded a patch, and made the file from it.
    Patch,
    /// It downloaded the whole file, because there was no patch for it.
    Whole,
    /// It downloaded the whole file, because the patch could not be used.
    Fallback,
}

/// The text is not a [`DownloadWay`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`patch`, `whole` or `fallback`")]
pub struct InvalidDownloadWay;

impl DownloadWay {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Patch, Self::Whole, Self::Fallback];

    /// The text in requests and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Patch => "patch",
            Self::Whole => "whole",
            Self::Fallback => "fallback",
        }
    }
}

impl FromStr for DownloadWay {
    type Err = InvalidDownloadWay;

    fn from_str(text: &str) -> Result<Self, InvalidDownloadWay> {
        Self::ALL.into_iter().find(|way| way.as_str() == text).ok_or(InvalidDownloadWay)
    }
}

impl fmt::Display for DownloadWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
