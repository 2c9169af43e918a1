//! The folder in which an application keeps the state of its repository.
//!
//! | name | content |
//! |---|---|
//! | `lock` | locked during a refresh |
//! | `state.json` | [`TrustState`] |
//! | `state.json.damaged` | the last state that could not be read |
//! | `metadata/` | the files that the last refresh used, which never change |
//! | `work-*/` | the folder of tough during a refresh |

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::NamedTempFile;
use tokio::time::Instant;

use super::TrustError;
use super::metadata_source::DeliveredFiles;
use super::state::TrustState;
use super::tough_folder::{self, ToughFolder};
use crate::Error;
use crate::blocking::blocking;

const LOCK: &str = "lock";
const STATE: &str = "state.json";
const DAMAGED: &str = "state.json.damaged";
const KEPT: &str = "metadata";

/// Pause between two attempts to get the lock. A refresh takes about as long.
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// The place for a state that could not be read.
pub(super) fn damaged(folder: &Path) -> PathBuf {
    folder.join(DAMAGED)
}

/// The folder, held by one refresh.
pub(super) struct Folder {
    path: PathBuf,
    /// Unlocked when it is closed.
    _lock: File,
}

impl Folder {
    /// Creates the folder if it does not exist, and waits until nobody else holds it.
    ///
    /// # Errors
    ///
    /// [`TrustError::Busy`] after `busy_time_out`, and [`Error::File`].
    pub(super) async fn hold(path: &Path, busy_time_out: Duration) -> Result<Self, Error> {
        let until = Instant::now() + busy_time_out;
        loop {
            let folder = path.to_owned();
            match blocking(move || lock(&folder)).await {
                Ok(Some(lock)) => return Ok(Self { path: path.to_owned(), _lock: lock }),
                Ok(None) if Instant::now() >= until => {
                    return Err(TrustError::Busy { folder: path.to_owned() }.into());
                }
                Ok(None) => tokio::time::sleep(LOCK_PAUSE).await,
                Err(source) => return Err(Error::File { path: path.to_owned(), source }),
            }
        }
    }

    /// The folder with files that never change.
    pub(super) fn kept(&self) -> PathBuf {
        self.path.join(KEPT)
    }

    /// The known state. `None`: there is none. A damaged state is set aside and counts as none.
    pub(super) async fn read(&self) -> Result<Option<TrustState>, Error> {
        let path = self.path.join(STATE);
        let failed = |source| Error::File { path: path.clone(), source };
        let bytes = match tokio::fs::read(&path).await {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let state = TrustState::from_bytes(&bytes);
        if state.is_none() {
            tokio::fs::rename(&path, damaged(&self.path)).await.map_err(failed)?;
        }
        Ok(state)
    }

    /// Replaces the known state, completely or not at all.
    pub(super) async fn write(&self, state: &TrustState) -> Result<(), Error> {
        let (path, bytes) = (self.path.join(STATE), state.to_bytes());
        let (folder, target) = (self.kept(), path.clone());
        let written = blocking(move || replace(&folder, &target, &bytes)).await;
        written.map_err(|source| Error::File { path, source })
    }

    /// A folder for tough with the content of `state`.
    pub(super) async fn work(&self, state: &TrustState) -> Result<ToughFolder, Error> {
        let (folder, state) = (self.path.clone(), state.clone());
        let made = blocking(move || ToughFolder::create(&folder, &state)).await;
        made.map_err(|source| Error::File { path: self.path.clone(), source })
    }

    /// Keeps the files that a complete refresh has used, and no others.
    pub(super) async fn keep(&self, delivered: DeliveredFiles) -> Result<(), Error> {
        let folder = self.kept();
        let done = blocking(move || keep(&folder, &delivered)).await;
        done.map_err(|source| Error::File { path: self.kept(), source })
    }
}

/// `None`: another process or refresh has it. The holder removes files that a killed process has left behind.
fn lock(folder: &Path) -> io::Result<Option<File>> {
    std::fs::create_dir_all(folder.join(KEPT))?;
    let lock =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(folder.join(LOCK))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        // The file system does not support locks. Files are still replaced as a whole.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
            return Ok(Some(lock));
        }
        Err(TryLockError::Error(error)) => return Err(error),
    }
    tough_folder::remove_all(folder)?;
    Ok(Some(lock))
}

fn keep(folder: &Path, delivered: &DeliveredFiles) -> io::Result<()> {
    for (name, bytes) in &delivered.fetched {
        replace(folder, &folder.join(name), bytes)?;
    }
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_used = name.to_str().is_some_and(|name| {
            delivered.fetched.contains_key(name) || delivered.kept.iter().any(|n| n == name)
        });
        if !is_used {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Writes a file beside others and moves it to its place. The next refresh removes a file that a crash leaves
/// in `folder`.
fn replace(folder: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(target)?;
    Ok(())
}
