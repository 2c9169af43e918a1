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
    /// `spin.toml` or the runtime configuration is not valid for Spin.
    #[error("{path}: {reason}", path = path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// The problem with it.
        reason: String,
    },
    /// A variable has no value, or a template uses an unknown variable.
    #[error("variable: {0}")]
    Variable(String),
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
    /// The host cannot listen on the address.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A socket that was opened by another program cannot be used.
    #[error("a socket of another program: {0}")]
    Socket(#[source] std::io::Error),
    /// A database file could not be opened.
    #[error("database {path}: {source}", path = path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// The file of an object does not have the size that it should have.
    #[error("{path} is damaged: it has {bytes} bytes in place of {expected}", path = path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The size that the index of the storage has of it.
        expected: u64,
    },
    /// Files of objects were missing whenever a backup was begun.
    #[error(
        "{path} is missing, or objects are deleted too quickly: gave up after {attempts} attempts",
        path = path.display()
    )]
    Gone {
        /// The file that was missing last.
        path: PathBuf,
        /// How often the backup was begun.
        attempts: usize,
    },
    /// A backup lacks a file, or has only a part of it.
    #[error("the backup is incomplete: {path} is missing or not whole", path = path.display())]
    Incomplete {
        /// The file.
        path: PathBuf,
    },
    /// The options of the object storage are unusable.
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
