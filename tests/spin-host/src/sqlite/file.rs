//! A database file, with the open connections that wait for reuse.
//!
//! A new connection reads the whole schema and compiles every statement again. So a connection is reused if
//! everything that ran on it only read, as SQLite's authorizer tells. After any other action, even `BEGIN` or
//! a `PRAGMA`, it is closed: a component that relied on leaked state would run here and fail on Spin.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use super::query::lock;

/// Maximum number of connections kept open for reuse; further ones are closed.
const MAX_IDLE: usize = 16;
/// Number of compiled statements cached for each connection.
const KEPT_STATEMENTS: usize = 64;

/// A statement that reads as little as possible.
const OPENING: &str = "SELECT count(*) FROM sqlite_schema";

/// A database file. A connection that has only read is reused, because opening one reads the whole schema and
/// takes longer than most queries. Any other connection is closed, so that no transaction, temporary table or
/// setting of one instance is visible to another.
pub(crate) struct DatabaseFile {
    path: PathBuf,
    wait: Duration,
    idle: Mutex<Vec<Arc<Opened>>>,
}

struct Opened {
    connection: Mutex<Connection>,
    only_read: Arc<AtomicBool>,
}

/// A connection in use by one component. Afterwards it may be kept for reuse.
pub(super) struct Lease {
    opened: Arc<Opened>,
    file: Arc<DatabaseFile>,
}

impl DatabaseFile {
    /// The file at `path`, which need not exist yet. A statement waits for locks up to `wait`.
    pub(crate) fn new(path: PathBuf, wait: Duration) -> Self {
        Self { path, wait, idle: Mutex::default() }
    }

    /// An open connection, if one is unused.
    pub(super) fn idle(self: &Arc<Self>) -> Option<Lease> {
        let opened = lock(&self.idle).pop()?;
        Some(Lease { opened, file: self.clone() })
    }

    /// A new connection. Creates the file if it does not exist.
    pub(super) fn connect(self: &Arc<Self>) -> rusqlite::Result<Lease> {
        let connection = Connection::open(&self.path)?;
        connection.busy_timeout(self.wait)?;
        connection.set_prepared_statement_cache_capacity(KEPT_STATEMENTS);
        let only_read = Arc::new(AtomicBool::new(true));
        let seen = only_read.clone();
        connection.authorizer(Some(move |context: AuthContext<'_>| {
            if !is_read(&context.action) {
                seen.store(false, Ordering::Relaxed);
            }
            authorize(&context.action)
        }));
        let opened = Arc::new(Opened { connection: Mutex::new(connection), only_read });
        Ok(Lease { opened, file: self.clone() })
    }

    /// Before a connection is closed: sees to it that another one is open. With the last one SQLite removes
    /// the log and its index, and to make them again, even for reading, it needs room that a full disk does
    /// not have.
    fn stay_open(self: &Arc<Self>) {
        let is_open = !lock(&self.idle).is_empty();
        if !is_open && let Ok(lease) = self.connect() {
            // A connection opens the log when it reads. If it cannot, the next one will say so.
            let _ = lease.connection().query_row(OPENING, [], |_| Ok(()));
        }
    }

    fn keep(&self, opened: Arc<Opened>) {
        let mut idle = lock(&self.idle);
        if idle.len() < MAX_IDLE {
            idle.push(opened);
        }
    }
}

impl Lease {
    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        lock(&self.opened.connection)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.opened.only_read.load(Ordering::Relaxed) {
            self.file.keep(self.opened.clone());
        } else {
            self.file.stay_open();
        }
    }
}

/// Whether an action leaves no state in a connection.
const fn is_read(action: &AuthAction<'_>) -> bool {
    matches!(
        action,
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Function { .. } | AuthAction::Recursive
    )
}

/// Restricts a component to its own database, so that it cannot open other files of the machine.
fn authorize(action: &AuthAction<'_>) -> Authorization {
    match action {
        AuthAction::Attach { filename } if !matches!(*filename, "" | ":memory:") => Authorization::Deny,
        _ => Authorization::Allow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with a table `t`, and the database for it.
    fn file() -> (tempfile::TempDir, Arc<DatabaseFile>) {
        let folder = tempfile::tempdir().unwrap();
        let file = Arc::new(DatabaseFile::new(folder.path().join("a.db"), Duration::ZERO));
        run(&file.connect().unwrap(), "CREATE TABLE t (x INTEGER)");
        (folder, file)
    }

    fn run(lease: &Lease, sql: &str) {
        super::super::query::run(&lease.connection(), sql, Vec::new(), 1000).unwrap();
    }

    #[test]
    fn a_connection_that_only_read_is_used_again() {
        let (_folder, file) = file();
        let _the_one_that_stays_open = file.idle();
        assert!(file.idle().is_none());
        let lease = file.connect().unwrap();
        run(&lease, "SELECT count(*) FROM t");
        drop(lease);
        let lease = file.idle().unwrap();
        assert!(file.idle().is_none());
        // A statement that was compiled before a change of the schema also works.
        run(&file.connect().unwrap(), "ALTER TABLE t ADD COLUMN y INTEGER");
        run(&lease, "SELECT count(*) FROM t");
        run(&lease, "SELECT y FROM t");
    }

    #[test]
    fn a_connection_that_did_anything_else_is_not() {
        let (_folder, file) = file();
        for sql in [
            "BEGIN",
            "SAVEPOINT s",
            "INSERT INTO t VALUES (1)",
            "INSERT INTO t VALUES (1) RETURNING x",
            "CREATE TEMP TABLE own (x INTEGER)",
            "PRAGMA case_sensitive_like = 1",
            "PRAGMA user_version",
            "ATTACH ':memory:' AS other",
        ] {
            let lease = file.connect().unwrap();
            run(&lease, sql);
            let opened = Arc::downgrade(&lease.opened);
            drop(lease);
            assert!(opened.upgrade().is_none(), "{sql}");
        }
    }

    #[test]
    fn one_is_open_after_the_first() {
        let (folder, file) = file();
        run(&file.idle().unwrap(), "PRAGMA journal_mode = WAL");
        run(&file.idle().unwrap(), "INSERT INTO t VALUES (1)");
        assert!(folder.path().join("a.db-wal").exists(), "nobody has removed the log");
        assert!(file.idle().is_some());
    }

    #[test]
    fn only_so_many_are_kept() {
        let (_folder, file) = file();
        let leases: Vec<_> = (0..=MAX_IDLE).map(|_| file.connect().unwrap()).collect();
        drop(leases);
        assert_eq!(std::iter::from_fn(|| file.idle().map(std::mem::forget)).count(), MAX_IDLE);
    }
}
