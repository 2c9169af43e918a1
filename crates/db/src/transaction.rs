//! Opening the database, and several statements as one.

use spindrift_core::Timestamp;

use crate::{Database, SqlConn, SqlError, SqlRow, SqlValue, schema};

/// How often the write lock is waited for. Each time SQLite itself waits for its busy time-out (5 seconds on Spin).
const LOCK_ATTEMPTS: usize = 3;

/// A connection to a database with the schema that this code needs; migrates it when it is behind.
pub fn open<D: Database>(database: &D, now: Timestamp) -> Result<D::Conn, SqlError> {
    let conn = database.connect()?;
    if !schema::is_current(&conn)? {
        schema::migrate(&conn, now)?;
    }
    Ok(conn)
}

/// Runs `work` in a transaction that holds the write lock from the start, so that what it reads stays true until it
/// commits. Any error rolls back. Keep IO other than SQL out of it.
pub fn in_transaction<C: SqlConn, T, E: From<SqlError>>(
    conn: &C,
    work: impl FnOnce(&C) -> Result<T, E>,
) -> Result<T, E> {
    begin(conn)?;
    let result = work(conn).and_then(|value| {
        conn.run("COMMIT", &[])?;
        Ok(value)
    });
    if result.is_err() {
        // The connection is dropped with the request; a failing rollback changes nothing.
        let _ = conn.run("ROLLBACK", &[]);
    }
    result
}

fn begin(conn: &impl SqlConn) -> Result<(), SqlError> {
    run_patiently(conn, "BEGIN IMMEDIATE", &[]).map(|_| ())
}

/// Runs a statement that waits for the write lock as a transaction does: those who wait are not served in turn, so
/// that one of many may time out where all go on. A statement that did not get the lock has changed nothing.
pub(crate) fn run_patiently(
    conn: &impl SqlConn,
    sql: &str,
    params: &[SqlValue],
) -> Result<Vec<SqlRow>, SqlError> {
    run_waiting(conn, sql, params, LOCK_ATTEMPTS)
}

/// As [`run_patiently`], with so many attempts.
pub(crate) fn run_waiting(
    conn: &impl SqlConn,
    sql: &str,
    params: &[SqlValue],
    attempts: usize,
) -> Result<Vec<SqlRow>, SqlError> {
    let mut attempt = 1;
    loop {
        match conn.run(sql, params) {
            Err(SqlError::Busy) if attempt < attempts => attempt += 1,
            result => return result,
        }
    }
}
