//! Why a command failed. Violations of rules are not errors but a result.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("{}: {reason}", path.display())]
    Invalid { path: PathBuf, reason: String },
    #[error("`{command}`: {reason}")]
    Command { command: String, reason: String },
}

impl Error {
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }

    pub(crate) fn invalid(path: &Path, reason: &impl ToString) -> Self {
        Self::Invalid { path: path.to_owned(), reason: reason.to_string() }
    }
}

pub(crate) fn read_toml<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = std::fs::read_to_string(path).map_err(Error::file(path))?;
    toml::from_str(&text).map_err(|error| Error::invalid(path, &error))
}
