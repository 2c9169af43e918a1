//! The one error type of the crate.

use std::path::{Path, PathBuf};

/// Why the host could not be built, started or stopped.
///
/// Failures of a single request never surface here: they become that request's answer.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A file or folder could not be used.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// `spin.toml` or the runtime configuration is not what Spin accepts.
    #[error("{path}: {reason}", path = path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A variable has no value, or a template names one that does not exist.
    #[error("variable: {0}")]
    Variable(String),
    /// A component could not be compiled, loaded or linked.
    #[error("component `{component}`: {reason}")]
    Component {
        /// Its id in `spin.toml`.
        component: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The WebAssembly engine could not be set up.
    #[error("engine: {0}")]
    Engine(String),
    /// A build command failed.
    #[error("build: {0}")]
    Build(String),
    /// An address could not be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address asked for.
        address: std::net::SocketAddr,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A database file could not be opened.
    #[error("database {path}: {source}", path = path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The object storage's settings are unusable.
    #[error("storage: {0}")]
    Storage(String),
}

impl HostError {
    /// For `map_err` on file operations.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::File { path: path.to_owned(), source }
    }

    /// For `map_err` on database operations.
    pub(crate) fn database(path: &Path) -> impl FnOnce(rusqlite::Error) -> Self + '_ {
        move |source| Self::Database { path: path.to_owned(), source }
    }

    pub(crate) fn component(component: &str, reason: impl std::fmt::Display) -> Self {
        Self::Component { component: component.to_owned(), reason: reason.to_string() }
    }
}
