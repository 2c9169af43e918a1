//! The error type of the crate.

use std::path::{Path, PathBuf};

use spindrift_http::ListenError;
use spindrift_manifest::ManifestError;
use spindrift_server::ServerError;
use spindrift_store::StoreError;

/// The reasons why the service could not be started, backed up or restored, or why the demo failed.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// The service or the storage cannot listen.
    #[error(transparent)]
    Listen(#[from] ListenError),
    /// The variables of the service are unusable.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The service could not be composed.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The storage could not be started, or the state could not be copied.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process runs the service of the state folder.
    #[error(
        "{path} is in use{by}: one process at a time may run the service of a state folder",
        path = path.display(),
        by = process.as_ref().map(|id| format!(" by process {id}")).unwrap_or_default()
    )]
    InUse {
        path: PathBuf,
        /// The other process, if it has recorded its id.
        process: Option<u32>,
    },
    /// A socket passed by systemd is not a TCP socket.
    #[error("a socket of systemd: {0}")]
    Socket(#[source] std::io::Error),
    /// systemd opened more sockets than can be served.
    #[error(
        "systemd opened {given} sockets, and at most {wanted} can be served: name the address of the service \
         first, then that of its storage, if it has one (ListenStream=)"
    )]
    Sockets {
        /// How many systemd opened.
        given: usize,
        /// How many can be served.
        wanted: usize,
    },
    /// A file or folder could not be used.
    #[error("{path}: {source}", path = path.display())]
    File {
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The passkeys of a user could not be removed.
    #[error("--reset-passkeys: {0}; nothing was started")]
    ResetPasskeys(String),
    /// Some settings are unusable. The text names each of them.
    #[error("{0}. See docs/settings.md; nothing was started")]
    Settings(String),
    /// A backup was made, but an older one could not be deleted.
    #[error("the backup is complete, but {path} could not be deleted: {source}", path = path.display())]
    OldBackup {
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// `secrets.json` is malformed.
    #[error("{path}: {source}", path = path.display())]
    Secrets { path: PathBuf, source: serde_json::Error },
    /// The system provides no randomness for secrets.
    #[error("no randomness: {0}")]
    Randomness(#[from] getrandom::Error),
    /// The state folder has no database.
    #[error(
        "nothing to back up: {state_dir} has no database of the service. Name another folder with \
         --state-dir",
        state_dir = state_dir.display()
    )]
    NothingToBackUp { state_dir: PathBuf },
    /// There is already a backup with this name.
    #[error("{path} exists already: backups of the same second have the same name", path = path.display())]
    BackupExists { path: PathBuf },
    /// The folder is not a backup, or an incomplete one.
    #[error("{path} is not a complete backup", path = path.display())]
    NotABackup { path: PathBuf },
    /// The backup has no table for shut-offs.
    #[error(
        "{path} is from a version that could not shut off updates: restore it with --serve, and stop bad \
         releases again as soon as the service runs",
        path = path.display()
    )]
    WithoutShutoffs { path: PathBuf },
    /// Restoring would replace the state of a service.
    #[error(
        "{path} exists: a backup is restored only where there is no database, storage or secrets.json. Move \
         them away, or name another folder with --state-dir",
        path = path.display()
    )]
    Occupied {
        /// The file or folder that exists.
        path: PathBuf,
    },
    /// A call to the service or the storage failed.
    #[error("{step}: {reason}")]
    Call {
        step: String,
        /// The answer, or the reason why there is none.
        reason: String,
    },
}

impl LocalError {
    /// For `map_err` on file operations.
    pub(crate) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        move |source| Self::File { path: path.to_owned(), source }
    }
}
