//! Open connections to the database, which requests take and return.
//!
//! Opening a connection reads the whole schema and compiles every statement again, which takes longer than
//! most requests. So connections are reused, with their compiled statements and the same busy timeout.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

/// How long a statement waits for another connection's lock, unless a request chooses a different time.
pub const BUSY_TIME_OUT: Duration = Duration::from_secs(5);

/// Maximum number of connections that wait for the next request; any others are closed.
const MAX_IDLE: usize = 16;
/// Number of compiled statements that a connection keeps. The service has some 400, of which a request runs a
/// few.
const KEPT_STATEMENTS: usize = 256;

/// The connections to one database. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Pool(Arc<PoolState>);

#[derive(Debug)]
struct PoolState {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

/// A connection in use. Dropping it returns it to the pool.
#[derive(Debug)]
pub(crate) struct Lease {
    /// Always present until the lease is dropped.
    connection: Option<Connection>,
    /// Whether the request has changed settings of the connection.
    has_settings: Cell<bool>,
    pool: Pool,
}

impl Pool {
    /// A pool for a file that need not exist yet.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(Arc::new(PoolState { path, idle: Mutex::default() }))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0.path
    }

    /// A connection that no other request uses.
    pub(crate) fn take(&self) -> rusqlite::Result<Lease> {
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.open()?,
        };
        Ok(Lease { connection: Some(connection), has_settings: Cell::new(false), pool: self.clone() })
    }

    fn open(&self) -> rusqlite::Result<Connection> {
        let connection = Connection::open(&self.0.path)?;
        connection.busy_timeout(BUSY_TIME_OUT)?;
        connection.set_prepared_statement_cache_capacity(KEPT_STATEMENTS);
        Ok(connection)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a connection for the next request, unless its transaction cannot be ended or its settings cannot
    /// be restored.
    fn give_back(&self, connection: Connection, has_settings: bool) {
        let is_plain = connection.is_autocommit() || connection.execute_batch("ROLLBACK").is_ok();
        let is_reset = is_plain && (!has_settings || reset(&connection).is_ok());
        let mut idle = self.idle();
        if is_reset && idle.len() < MAX_IDLE {
            idle.push(connection);
        }
    }
}

/// Restores the settings that requests may change: how long they wait for locks, and whether a commit waits
/// for the disk.
fn reset(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIME_OUT)?;
    connection.pragma_update(None, "synchronous", "FULL")
}

impl Lease {
    /// Records that a statement changes settings of the connection.
    pub(crate) fn note_settings(&self) {
        self.has_settings.set(true);
    }

    /// The connection. `None` only while the lease is being dropped.
    pub(crate) const fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.pool.give_back(connection, self.has_settings.get());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> (tempfile::TempDir, Pool) {
        let dir = tempfile::tempdir().unwrap();
        let pool = Pool::new(dir.path().join("a.db"));
        (dir, pool)
    }

    fn run(lease: &Lease, sql: &str) {
        lease.connection().unwrap().execute_batch(sql).unwrap();
    }

    fn number(lease: &Lease, sql: &str) -> i64 {
        lease.connection().unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_connection_is_used_again_without_the_state_of_the_request_before() {
        let (_dir, pool) = pool();
        let lease = pool.take().unwrap();
        lease.note_settings();
        run(&lease, "PRAGMA busy_timeout = 7; PRAGMA synchronous = NORMAL");
        run(&lease, "CREATE TABLE t (x); BEGIN; INSERT INTO t VALUES (1)");
        drop(lease);
        assert_eq!(pool.idle().len(), 1);
        let again = pool.take().unwrap();
        assert!(pool.idle().is_empty());
        assert_eq!(number(&again, "SELECT count(*) FROM t"), 0, "what was not committed is undone");
        assert_eq!(number(&again, "PRAGMA busy_timeout"), 5000);
        assert_eq!(number(&again, "PRAGMA synchronous"), 2);
    }

    #[test]
    fn only_so_many_wait() {
        let (_dir, pool) = pool();
        let leases: Vec<_> = (0..=MAX_IDLE).map(|_| pool.take().unwrap()).collect();
        drop(leases);
        assert_eq!(pool.idle().len(), MAX_IDLE);
    }
}
