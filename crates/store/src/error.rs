//! The error type of the crate.

use std::path::{Path, PathBuf};

use spindrift_http::ListenError;

/// The reasons why the storage could not be started, or the state could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The storage cannot listen.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// A file or folder could not be used.
    #[error("{path}: {source}", path = path.display())]
    File {
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A database file could not be opened.
    #[error("database {path}: {source}", path = path.display())]
    Database {
        path: PathBuf,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
    /// The file of an object has the wrong size.
    #[error("{path} is damaged: it has {bytes} bytes in place of {expected}", path = path.display())]
    Damaged {
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The size recorded in the index of the storage.
        expected: u64,
    },
    /// Files of objects were missing each time a backup was started.
    #[error(
        "{path} is missing, or objects are deleted too quickly: gave up after {attempts} attempts",
        path = path.display()
    )]
    Gone {
        /// The file that was missing last.
        path: PathBuf,
        /// How often the backup was started.
        attempts: usize,
    },
    /// A backup lacks a file, or contains only a part of it.
    #[error("the backup is incomplete: {path} is missing or not whole", path = path.display())]
    Incomplete { path: PathBuf },
    /// The options of the object storage are unusable.
    #[error("storage: {0}")]
    Options(String),
}

impl StoreError {
    /// For `map_err` on file operations.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::File { path: path.to_owned(), source }
    }

    /// For `map_err` on database operations.
    pub(crate) fn database(path: &Path) -> impl FnOnce(rusqlite::Error) -> Self + '_ {
        move |source| Self::Database { path: path.to_owned(), source }
    }
}
