//! The error type of the crate.

use std::path::{Path, PathBuf};

/// Why the host could not be built, started or stopped.
///
/// The failure of a single request never becomes a `HostError`; it becomes the answer to that request.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A file or folder could not be used.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The server cannot listen.
    #[error(transparent)]
    Listen(#[from] spindrift_http::ListenError),
    /// The manifest or its variables are unusable.
    #[error(transparent)]
    Manifest(#[from] spindrift_manifest::ManifestError),
    /// The runtime configuration is not valid for Spin.
    #[error("{path}: {reason}", path = path.display())]
    RuntimeConfig {
        /// The file.
        path: PathBuf,
        /// The problem with it.
        reason: String,
    },
    /// A component could not be compiled, loaded or linked.
    #[error("component `{component}`: {reason}")]
    Component {
        /// Its id in `spin.toml`.
        component: String,
        /// The problem with it.
        reason: String,
    },
    /// The WebAssembly engine could not be set up.
    #[error("engine: {0}")]
    Engine(String),
    /// A build command failed.
    #[error("build: {0}")]
    Build(String),
    /// A database file could not be opened.
    #[error("database {path}: {source}", path = path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
}

impl HostError {
    /// Adapts an I/O error on `path` for `map_err`.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::File { path: path.to_owned(), source }
    }

    /// Adapts a database error for `map_err`.
    pub(crate) fn database(path: &Path) -> impl FnOnce(rusqlite::Error) -> Self + '_ {
        move |source| Self::Database { path: path.to_owned(), source }
    }

    pub(crate) fn component(component: &str, reason: impl std::fmt::Display) -> Self {
        Self::Component { component: component.to_owned(), reason: reason.to_string() }
    }
}
