//! The SQLite file behind key-value labels.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::{Connection, ErrorCode};

use super::cache::Cache;
use super::result::NOT_A_COUNTER;
use super::turns::{Turn, Turns};
use crate::error::HostError;
use crate::limits::Limits;

/// Two connections to one file. In WAL mode a reader never waits for the writer, so a read takes microseconds
/// even while the writer waits for the disk.
pub(crate) struct KeyValueFile {
    reader: Mutex<Connection>,
    writer: Mutex<Connection>,
    writers: Turns,
    pub(super) cache: Cache,
    pub(super) limits: Limits,
}

impl KeyValueFile {
    /// Opens or creates the file. A file that is not a database is renamed to `*.damaged`, and a
    /// new one is created: otherwise nothing could be served until somebody removes it. Uses
    /// [`Limits::result_bytes`] and [`Limits::store_wait`].
    pub(crate) fn open(path: &Path, limits: Limits) -> Result<Self, HostError> {
        let opened = match connections(path, limits) {
            Err(error) if is_damaged(&error) => {
                put_aside(path).map_err(HostError::file(path))?;
                connections(path, limits)
            }
            opened => opened,
        };
        let (reader, writer) = opened.map_err(HostError::database(path))?;
        let (reader, writer) = (Mutex::new(reader), Mutex::new(writer));
        Ok(Self { reader, writer, writers: Turns::default(), cache: Cache::default(), limits })
    }

    /// The connection for writing. Waits for the caller's turn; the rest of the time limit is used to wait
    /// for the file lock.
    pub(super) fn writer(&self) -> Result<Writer<'_>, String> {
        let began = Instant::now();
        let turn = self.writers.wait(self.limits.store_wait).ok_or("the store is busy")?;
        let connection = lock(&self.writer);
        connection
            .busy_timeout(self.limits.store_wait.saturating_sub(began.elapsed()))
            .map_err(|error| error.to_string())?;
        Ok(Writer { connection, _turn: turn })
    }

    /// The connection for reading.
    pub(super) fn reader(&self) -> MutexGuard<'_, Connection> {
        lock(&self.reader)
    }

    /// Checks whether another process has written, and notifies the cache. `false`: the check is
    /// not possible now.
    pub(super) fn look(&self) -> bool {
        // Uses the writer's connection, because its own writes do not change its `data_version`. It may be
        // waiting for the disk.
        let Ok(writer) = self.writer.try_lock() else { return false };
        let version = writer
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)));
        version.map(|version| self.cache.looked(version)).is_ok()
    }
}

/// The connection for writing. It is released before the turn ends.
pub(super) struct Writer<'a> {
    connection: MutexGuard<'a, Connection>,
    _turn: Turn<'a>,
}

impl Deref for Writer<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

/// The connections for reading and for writing.
fn connections(path: &Path, limits: Limits) -> rusqlite::Result<(Connection, Connection)> {
    let writer = connect(path, limits.store_wait)?;
    writer.execute_batch(
        "CREATE TABLE IF NOT EXISTS spin_key_value (
            store TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (store, key))",
    )?;
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    writer.create_scalar_function("counter_add", 2, flags, counter_add)?;
    let reader = connect(path, limits.store_wait)?;
    reader.execute_batch("PRAGMA query_only = 1")?;
    Ok((reader, writer))
}

fn is_damaged(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}

/// Renames the file, replacing one that was renamed before, and deletes the files that SQLite
/// stores beside it.
fn put_aside(path: &Path) -> std::io::Result<()> {
    let beside = |ending: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    std::fs::rename(path, beside(".damaged"))?;
    for ending in ["-wal", "-shm"] {
        match std::fs::remove_file(beside(ending)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn connect(path: &Path, wait: Duration) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(wait)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 268435456",
    )?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// SQL function that adds a delta to an 8-byte little-endian counter.
fn counter_add(context: &Context<'_>) -> rusqlite::Result<Vec<u8>> {
    let refuse = || rusqlite::Error::UserFunctionError(NOT_A_COUNTER.into());
    let value = context.get_raw(0).as_blob().map_err(|_| refuse())?;
    let value = i64::from_le_bytes(value.try_into().map_err(|_| refuse())?);
    let sum = value.checked_add(context.get(1)?).ok_or_else(refuse)?;
    Ok(sum.to_le_bytes().to_vec())
}

fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    // A panic under this lock leaves no statement half done: SQLite rolls it back.
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}
