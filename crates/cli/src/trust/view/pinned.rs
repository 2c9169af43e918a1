//! The root that an application is built with, in a file.

use std::path::{Path, PathBuf};

use spindrift_trust::{RootRole, Signed};

use crate::error::CliError;

/// The pinned root.
#[derive(Debug, Clone)]
pub(crate) struct PinnedRoot {
    pub(crate) path: PathBuf,
    pub(crate) root: Signed<RootRole>,
}

impl PinnedRoot {
    /// Reads it. `None`: there is no such file.
    pub(crate) fn find(path: &Path) -> Result<Option<Self>, CliError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CliError::file(path)(error)),
        };
        let root = Signed::read(&bytes)
            .map_err(|error| CliError::Untrusted(format!("{}: {error}", path.display())))?;
        Ok(Some(Self { path: path.to_owned(), root }))
    }

    /// Reads it. Without it nothing can be verified.
    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        Self::find(path)?.ok_or_else(|| {
            CliError::usage(format!(
                "there is no {}: pass --trust-root or set SPINDRIFT_TRUST_ROOT to the root.json that `spindrift trust init` made",
                path.display()
            ))
        })
    }
}
