//! Reasons why the whole file is needed.

use std::io;
use std::path::Path;

use crate::Error;

/// Why the whole file is needed.
#[derive(Debug, thiserror::Error)]
pub(in crate::download) enum Unusable {
    #[error("the answer of the check does not fit the expected file")]
    OtherFile,
    #[error("the patch is as large as the file")]
    TooLarge,
    #[error("the patch could not be used before")]
    FailedBefore,
    #[error("no base: {0}")]
    NoBase(io::Error),
    #[error("the base is another file")]
    OtherBase,
    #[error("the patch: {0}")]
    NoPatch(Error),
    #[error("the patch cannot be applied: {0}")]
    Broken(io::Error),
    #[error("the patch makes another file")]
    MadeOther,
    #[error("{path}: {source}")]
    File { path: String, source: io::Error },
}

impl Unusable {
    /// Whether somebody else is downloading the patch.
    pub(in crate::download) const fn is_busy(&self) -> bool {
        matches!(self, Self::NoPatch(Error::Busy { .. }))
    }

    /// Whether the same patch would fail again.
    pub(super) fn is_lasting(&self) -> bool {
        match self {
            Self::Broken(_) | Self::MadeOther => true,
            Self::NoPatch(error) => error.is_about_content(),
            _ => false,
        }
    }

    pub(super) fn at(path: &Path, source: io::Error) -> Self {
        Self::File { path: path.display().to_string(), source }
    }
}
