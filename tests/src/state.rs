//! The databases of a host, as files.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// File name of the database in the state folder.
pub const DATABASE_FILE: &str = "sqlite_db.db";
/// File name of the key-value store in the state folder.
pub(crate) const KEY_VALUE_FILE: &str = "sqlite_key_value.db";
/// What SQLite appends to the name of a database for the file with its last changes.
const LOG_SUFFIX: &str = "-wal";

/// The state folder in a world's folder.
pub(crate) fn of_world(dir: &Path) -> PathBuf {
    dir.join("state")
}

/// The databases of a world that has ended.
#[derive(Debug)]
pub struct State(TempDir);

impl State {
    pub(crate) fn of_world(dir: TempDir) -> Self {
        Self(dir)
    }

    /// The folder with the databases. It is removed with this value.
    pub fn folder(&self) -> PathBuf {
        of_world(self.0.path())
    }
}

/// Copies those databases that exist.
pub(crate) fn copy(from: &Path, to: &Path) {
    for name in [DATABASE_FILE, KEY_VALUE_FILE] {
        for name in [name.to_owned(), format!("{name}{LOG_SUFFIX}")] {
            let file = from.join(&name);
            if file.exists() {
                std::fs::copy(file, to.join(name)).expect("a copy of the database");
            }
        }
    }
}
