//! The databases of a host, as files.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

use crate::redis::Redis;

/// File name of the database in the state folder.
pub const DATABASE_FILE: &str = "sqlite_db.db";
/// File name of the key-value store in the state folder.
pub const KEY_VALUE_FILE: &str = "sqlite_key_value.db";

/// The state folder in a world's folder.
pub(crate) fn of_world(dir: &Path) -> PathBuf {
    dir.join("state")
}

/// The databases of a world that has ended.
#[derive(Debug)]
pub struct State(TempDir);

impl State {
    pub(crate) fn of_world(dir: TempDir) -> Self {
        for file in files(&of_world(dir.path())) {
            let database = Connection::open(file).expect("a database");
            // Its last changes are in another file until somebody moves them.
            let moved = database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
            assert_eq!(moved, Ok(0), "nobody uses the database");
        }
        Self(dir)
    }

    /// The folder with the databases. It is removed with this value.
    pub fn folder(&self) -> PathBuf {
        of_world(self.0.path())
    }

    /// The database, for [`Libsql::start_with`](crate::Libsql::start_with).
    pub fn database(&self) -> PathBuf {
        self.folder().join(DATABASE_FILE)
    }

    /// Copies the key-value store into Redis.
    pub fn fill(&self, redis: &Redis) {
        fill(&self.folder(), redis);
    }
}

/// Copies the key-value store in a folder into Redis.
pub(crate) fn fill(folder: &Path, redis: &Redis) {
    let store = Connection::open(folder.join(KEY_VALUE_FILE)).expect("the key-value store");
    redis.set(entries(&store).into_iter());
}

/// The databases that exist in a folder.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    [DATABASE_FILE, KEY_VALUE_FILE].into_iter().map(|name| folder.join(name)).filter(|file| file.exists())
}

/// Copies the databases of a folder into another one.
pub(crate) fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        std::fs::copy(&file, to.join(file.file_name().expect("a name"))).expect("a copy of the database");
    }
}

/// All keys of a store, with their values.
pub(crate) fn entries(store: &Connection) -> Vec<(String, Vec<u8>)> {
    let mut query = store.prepare("SELECT key, value FROM spin_key_value").expect("a query");
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.collect::<Result<_, _>>().expect("entries")
}
