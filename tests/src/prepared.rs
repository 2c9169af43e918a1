//! A database that has its schema, so that not every world migrates one.

use std::path::Path;
use std::sync::OnceLock;

use rusqlite::Connection;
use spindrift_core::Timestamp;
use spindrift_native::NativePlatform;
use tempfile::TempDir;

use crate::state::{self, DATABASE_FILE};

/// Copies the database into a world's empty state folder, with an identity of its own.
pub(crate) fn copy_database(to: &Path) {
    static PREPARED: OnceLock<TempDir> = OnceLock::new();
    state::copy(PREPARED.get_or_init(prepare).path(), to);
    let database = Connection::open(to.join(DATABASE_FILE)).expect("the copy");
    database
        .execute("UPDATE database_identity SET id = lower(hex(randomblob(16)))", [])
        .expect("an identity");
}

fn prepare() -> TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let platform = NativePlatform::new(dir.path());
    let now = Timestamp::from_millis(jiff::Timestamp::now().as_millisecond());
    drop(spindrift_db::open(&platform, now).expect("an empty database"));
    let file = platform.database_path().to_owned();
    // Its last connection puts everything into one file.
    drop(platform);
    std::fs::rename(file, dir.path().join(DATABASE_FILE)).expect("the database");
    dir
}
