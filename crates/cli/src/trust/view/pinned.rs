//! The root that an application is built with, as a file.

use std::path::{Path, PathBuf};

use spindrift_trust::{MetadataFile, Role as _, RoleName, RootRole, Signed};

use super::source::MetadataSource;
use crate::config::write_public;
use crate::error::CliError;

#[derive(Debug, Clone)]
pub(crate) struct PinnedRoot {
    pub(crate) path: PathBuf,
    pub(crate) root: Signed<RootRole>,
}

impl PinnedRoot {
    /// Reads the pinned root. `None`: the file does not exist.
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

    /// Reads the pinned root, without which nothing can be verified.
    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        Self::find(path)?.ok_or_else(|| {
            CliError::usage(format!(
                "there is no {}: pass --trust-root or set SPINDRIFT_TRUST_ROOT to the root.json that `spindrift trust init` made",
                path.display()
            ))
        })
    }

    /// The root with enough signatures. `init` writes it with the signatures it could make; once
    /// others have signed, theirs are added to the file. Until then the root stays incomplete.
    pub(crate) async fn completed(&self, source: &impl MetadataSource) -> Result<Signed<RootRole>, CliError> {
        let (own, signers) = (self.root.role(), self.root.role().root());
        let is_complete = |root: &Signed<RootRole>| root.is_signed_by(signers).unwrap_or(false);
        if is_complete(&self.root) {
            return Ok(self.root.clone());
        }
        let file = MetadataFile::new(RoleName::Root, own.head().version);
        let Some(bytes) = source.read(&file, RootRole::MAX_BYTES).await? else {
            return Ok(self.root.clone());
        };
        let found = Signed::read(&bytes).ok().filter(|found| found.role() == own && is_complete(found));
        let Some(found) = found else { return Ok(self.root.clone()) };
        write_public(&self.path, &bytes)?;
        Ok(found)
    }
}
