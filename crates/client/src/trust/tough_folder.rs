//! The folder of tough during a refresh: its state before and after.
//!
//! tough writes its files one by one and in place. So it gets copies, and only the result is taken over.

use std::io;
use std::path::Path;

use bytes::Bytes;
use tempfile::TempDir;

use super::state::TrustState;

/// Begins the names of such folders.
const PREFIX: &str = "work-";

const ROOT: &str = "root.json";
const TIMESTAMP: &str = "timestamp.json";
const SNAPSHOT: &str = "snapshot.json";
const TIME: &str = "latest_known_time.json";

/// A folder of tough, which is removed in the end.
pub(super) struct ToughFolder(TempDir);

/// The files that tough has left in its folder.
pub(super) struct RefreshedFiles {
    /// The newest root that it has verified, also in a refresh that failed later.
    pub(super) root: Option<String>,
    timestamp: Option<String>,
    snapshot: Option<String>,
    latest_known_time: Option<String>,
}

impl ToughFolder {
    /// Blocks.
    pub(super) fn create(folder: &Path, state: &TrustState) -> io::Result<Self> {
        let work = tempfile::Builder::new().prefix(PREFIX).tempdir_in(folder)?;
        let known =
            [(TIMESTAMP, &state.timestamp), (SNAPSHOT, &state.snapshot), (TIME, &state.latest_known_time)];
        for (name, text) in known {
            if let Some(text) = text {
                std::fs::write(work.path().join(name), text)?;
            }
        }
        Ok(Self(work))
    }

    /// The folder.
    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The current files. Blocks.
    pub(super) fn refreshed_files(&self) -> io::Result<RefreshedFiles> {
        let text = |name| match std::fs::read_to_string(self.path().join(name)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        Ok(RefreshedFiles {
            root: text(ROOT)?,
            timestamp: text(TIMESTAMP)?,
            snapshot: text(SNAPSHOT)?,
            latest_known_time: text(TIME)?,
        })
    }
}

impl RefreshedFiles {
    /// The state after a complete refresh, which has fetched these roots.
    pub(super) fn complete(self, mut state: TrustState, fetched_roots: &[Bytes]) -> TrustState {
        if let Some(root) = self.root {
            state.follow(root, fetched_roots);
        }
        state.timestamp = self.timestamp;
        state.snapshot = self.snapshot;
        state.latest_known_time = self.latest_known_time;
        state
    }
}

/// Removes the folders of processes that were killed. Blocks.
pub(super) fn remove_all(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)) {
            std::fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
