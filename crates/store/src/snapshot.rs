//! A database file as of one moment, while other connections write to it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags, ffi};

use crate::error::StoreError;

/// How long to wait for writers. Their transactions take milliseconds, and a migration of a large database
/// seconds.
const WAIT: Duration = Duration::from_secs(30);
/// For [`Backup::step`]: all pages in one step.
const ALL_PAGES: i32 = -1;

/// Begins a transaction that sees the database as it is now, until the connection is closed. `BEGIN` alone
/// would not fix the state, because it reads nothing.
const PIN: &str = "BEGIN; SELECT count(*) FROM sqlite_schema";
/// Waits for a writer, and keeps others out until the connection is closed.
const LOCK: &str = "BEGIN IMMEDIATE";

/// A database as it was when this value was created. Later changes by other connections are not seen; they
/// are not blocked either, if the database has a write-ahead log.
#[derive(Debug)]
pub(crate) struct Snapshot {
    path: PathBuf,
    connection: Connection,
}

/// While this value lives, no other connection can write.
#[derive(Debug)]
pub(crate) struct WriteLock(Connection);

impl WriteLock {
    /// Waits for the lock of an existing database.
    pub(crate) fn take(path: &Path) -> Result<Self, StoreError> {
        let connection = open(path)?;
        connection.execute_batch(LOCK).map_err(StoreError::database(path))?;
        Ok(Self(connection))
    }

    /// Lets other connections write again.
    pub(crate) fn release(self) {
        // Closing the connection releases the lock as well.
        drop(self.0);
    }
}

impl Snapshot {
    /// Takes a snapshot of an existing database.
    pub(crate) fn take(path: &Path) -> Result<Self, StoreError> {
        let connection = open(path)?;
        connection.execute_batch(PIN).map_err(StoreError::database(path))?;
        Ok(Self { path: path.to_owned(), connection })
    }

    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&self.connection).map_err(StoreError::database(&self.path))
    }

    /// Writes the snapshot to a new file, synced and complete: it needs no write-ahead log.
    pub(crate) fn write_to(&self, file: &Path) -> Result<(), StoreError> {
        let write = || {
            let mut target = Connection::open(file)?;
            // Reads from the open transaction of the source.
            let step = Backup::new(&self.connection, &mut target)?.step(ALL_PAGES)?;
            if step != StepResult::Done {
                return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None));
            }
            target.pragma_update(None, "journal_mode", "DELETE")
        };
        write().map_err(StoreError::database(file))
    }
}

/// Runs statements in an existing database, unless it has no tables. Afterwards the file is complete.
pub(crate) fn run(path: &Path, sql: &str) -> Result<(), StoreError> {
    let connection = open(path)?;
    let run = || {
        let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if tables > 0 { connection.execute_batch(sql) } else { Ok(()) }
    };
    run().map_err(StoreError::database(path))?;
    connection.close().map_err(|(_, error)| StoreError::database(path)(error))
}

/// Opens an existing file.
fn open(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(WAIT)?;
        Ok(connection)
    };
    open().map_err(StoreError::database(path))
}

#[cfg(test)]
mod tests {
    use rusqlite::ErrorCode;

    use super::*;

    fn database(folder: &Path) -> (PathBuf, Connection) {
        let path = folder.join("a.db");
        let connection = Connection::open(&path).unwrap();
        connection
            .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
            .unwrap();
        (path, connection)
    }

    fn count(connection: &Connection) -> rusqlite::Result<i64> {
        connection.query_row("SELECT count(*) FROM t", [], |row| row.get(0))
    }

    #[test]
    fn a_copy_has_nothing_that_was_written_after_the_moment() {
        let folder = tempfile::tempdir().unwrap();
        let (path, writer) = database(folder.path());
        let snapshot = Snapshot::take(&path).unwrap();
        writer.execute_batch("INSERT INTO t VALUES (2); CREATE TABLE u (x)").unwrap();
        // Moves as much of the log as possible into the file.
        writer.execute_batch("PRAGMA wal_checkpoint(PASSIVE)").unwrap();

        let copy = folder.path().join("copy.db");
        snapshot.write_to(&copy).unwrap();

        assert_eq!(snapshot.read(count).unwrap(), 1);
        let copied = Snapshot::take(&copy).unwrap();
        assert_eq!(copied.read(count).unwrap(), 1);
        assert!(!folder.path().join("copy.db-wal").exists());
        assert_eq!(count(&writer).unwrap(), 2);
    }

    #[test]
    fn nobody_writes_while_the_lock_is_held() {
        let folder = tempfile::tempdir().unwrap();
        let (path, writer) = database(folder.path());
        writer.busy_timeout(Duration::ZERO).unwrap();
        let write = || writer.execute_batch("INSERT INTO t VALUES (2)");
        let lock = WriteLock::take(&path).unwrap();
        let snapshot = Snapshot::take(&path).unwrap();
        assert_eq!(write().unwrap_err().sqlite_error_code(), Some(ErrorCode::DatabaseBusy));
        lock.release();
        write().unwrap();
        assert_eq!(snapshot.read(count).unwrap(), 1);
    }

    #[test]
    fn statements_are_not_run_in_a_database_without_tables() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("empty.db");
        Connection::open(&empty).unwrap().execute_batch("PRAGMA journal_mode = WAL").unwrap();
        run(&empty, "DELETE FROM t").unwrap();
        let (path, writer) = database(folder.path());
        run(&path, "DELETE FROM t").unwrap();
        assert_eq!(count(&writer).unwrap(), 0);
    }
}
