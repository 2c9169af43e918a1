//! Transactions, and waiting for the write lock.

use crate::{SqlConn, SqlError, SqlFailure, SqlRows, SqlValue};

/// Makes SQLite wait half a second for the write lock; by default it waits 5 seconds on Spin.
const WAIT_FOR_LOCK: &str = "PRAGMA busy_timeout = 500";
/// After this many waits in a row during which no other connection has written, the database counts as
/// unresponsive: 2 seconds.
const STUCK_WAITS: usize = 4;
/// Maximum number of waits while other connections keep writing: 15 seconds.
const MAX_WAITS: usize = 30;

/// Maximum number of runs of a transaction that the database server keeps abandoning.
const MAX_RUNS: usize = 3;

/// How to end a transaction whose work has not failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Its writes are kept.
    Commit,
    /// There was nothing to change, so no writes are kept.
    RollBack,
}

/// Runs `work` in a transaction that holds the write lock from the start, so that everything it reads stays
/// true until it commits. An error rolls the transaction back. `work` may do no IO other than SQL, and is run
/// again if the server abandons the transaction.
pub fn in_transaction<C: SqlConn, T, E: SqlFailure>(
    conn: &C,
    mut work: impl FnMut(&C) -> Result<T, E>,
) -> Result<T, E> {
    in_transaction_to_end(conn, |conn| Ok((work(conn)?, End::Commit)))
}

/// Like [`in_transaction`], for work that decides how the transaction ends.
pub(crate) fn in_transaction_to_end<C: SqlConn, T, E: SqlFailure>(
    conn: &C,
    mut work: impl FnMut(&C) -> Result<(T, End), E>,
) -> Result<T, E> {
    let is_given_up = |error: &E| matches!(error.sql_error(), Some(SqlError::GivenUp(_)));
    for _ in 1..MAX_RUNS {
        match run_once(conn, &mut work) {
            Err(error) if is_given_up(&error) => {}
            result => return result,
        }
    }
    run_once(conn, &mut work)
}

fn run_once<C: SqlConn, T, E: SqlFailure>(
    conn: &C,
    work: &mut impl FnMut(&C) -> Result<(T, End), E>,
) -> Result<T, E> {
    begin(conn)?;
    let result = work(conn).and_then(|(value, end)| {
        let end = match end {
            End::Commit => "COMMIT",
            End::RollBack => "ROLLBACK",
        };
        conn.run(end, &[])?;
        Ok(value)
    });
    if result.is_err() {
        // The connection is dropped with the request, so a failed rollback does no harm.
        let _ = conn.run("ROLLBACK", &[]);
    }
    result
}

fn begin(conn: &impl SqlConn) -> Result<(), SqlError> {
    run_awaiting_lock(conn, "BEGIN IMMEDIATE", &[]).map(|_| ())
}

/// Runs a statement, waiting for the write lock as a transaction does. If the statement did not get the lock,
/// it has changed nothing.
///
/// SQLite does not queue waiting connections, so one of many may wait long while the others make progress;
/// that is acceptable. If the lock is held but nothing is written, the wait ends early, because its holder
/// may never release it.
pub(crate) fn run_awaiting_lock(
    conn: &impl SqlConn,
    sql: &str,
    params: &[SqlValue],
) -> Result<SqlRows, SqlError> {
    // libSQL may refuse the pragma, because its server does the waiting.
    let _ = conn.run(WAIT_FOR_LOCK, &[]);
    retry_while_locked(conn, sql, params)
}

/// Like [`run_awaiting_lock`], on a connection that already has its busy timeout set.
pub(crate) fn retry_while_locked(
    conn: &impl SqlConn,
    sql: &str,
    params: &[SqlValue],
) -> Result<SqlRows, SqlError> {
    let (mut stuck, mut seen) = (0, None);
    for _ in 1..MAX_WAITS {
        match conn.run(sql, params) {
            Err(SqlError::Busy) => {}
            result => return result,
        }
        let Ok(version) = conn.run("PRAGMA data_version", &[]) else { return Err(SqlError::Busy) };
        stuck = if seen.is_some_and(|seen| seen != version) { 1 } else { stuck + 1 };
        seen = Some(version);
        if stuck == STUCK_WAITS {
            return Err(SqlError::Busy);
        }
    }
    conn.run(sql, params)
}

/// Runs a statement for whose result no caller is waiting. It therefore waits long for the write lock: each
/// attempt lasts for SQLite's default, 5 seconds on Spin.
pub(crate) fn run_unattended(
    conn: &impl SqlConn,
    sql: &str,
    params: &[SqlValue],
    attempts: usize,
) -> Result<SqlRows, SqlError> {
    for _ in 1..attempts {
        match conn.run(sql, params) {
            Err(SqlError::Busy) => {}
            result => return result,
        }
    }
    conn.run(sql, params)
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    /// A database whose write lock becomes free at the given attempt; others write before the attempts in
    /// `others`.
    struct Locked {
        free_at: usize,
        others: fn(usize) -> bool,
        attempts: Cell<usize>,
        version: Cell<i64>,
        said: RefCell<Vec<String>>,
    }

    impl SqlConn for Locked {
        fn run(&self, sql: &str, _: &[SqlValue]) -> Result<SqlRows, SqlError> {
            self.said.borrow_mut().push(sql.to_owned());
            if sql == "PRAGMA data_version" {
                return Ok(SqlRows {
                    columns: vec!["data_version".into()],
                    values: vec![vec![self.version.get().into()]],
                });
            }
            if !sql.starts_with("BEGIN") {
                return Ok(SqlRows::default());
            }
            let attempt = self.attempts.get() + 1;
            self.attempts.set(attempt);
            if (self.others)(attempt) {
                self.version.set(self.version.get() + 1);
            }
            if attempt < self.free_at { Err(SqlError::Busy) } else { Ok(SqlRows::default()) }
        }
    }

    #[test]
    fn a_lock_is_waited_for_as_long_as_others_write() {
        for (free_at, others, expected, attempts) in [
            (1, (|_| false) as fn(usize) -> bool, Ok(()), 1),
            (4, |_| false, Ok(()), 4),
            (5, |_| false, Err(SqlError::Busy), STUCK_WAITS),
            (20, |_| true, Ok(()), 20),
            (20, |n| n % 3 == 0, Ok(()), 20),
            (20, |n| n % 5 == 0, Err(SqlError::Busy), STUCK_WAITS),
            (20, |n| n < 10, Err(SqlError::Busy), 9 + STUCK_WAITS - 1),
            (99, |_| true, Err(SqlError::Busy), MAX_WAITS),
        ] {
            let conn = Locked {
                free_at,
                others,
                attempts: Cell::new(0),
                version: Cell::new(0),
                said: RefCell::default(),
            };
            assert_eq!(begin(&conn), expected, "free at {free_at}");
            assert_eq!(conn.attempts.get(), attempts, "free at {free_at}");
            assert_eq!(conn.said.borrow()[0], WAIT_FOR_LOCK);
        }
    }

    /// A database whose server abandons a statement at its first `times` attempts.
    struct Unsteady {
        statement: &'static str,
        times: Cell<usize>,
        said: RefCell<Vec<String>>,
    }

    impl SqlConn for Unsteady {
        fn run(&self, sql: &str, _: &[SqlValue]) -> Result<SqlRows, SqlError> {
            self.said.borrow_mut().push(sql.to_owned());
            let left = self.times.get();
            if sql == self.statement && left > 0 {
                self.times.set(left - 1);
                return Err(SqlError::GivenUp("SQLITE_INTERRUPT".into()));
            }
            Ok(SqlRows::default())
        }
    }

    #[test]
    fn a_transaction_that_the_server_gives_up_is_run_again() {
        for (statement, times, runs) in [
            ("none", 1, 1),
            ("UPDATE t", 1, 2),
            ("UPDATE t", 2, 3),
            ("UPDATE t", 3, 3),
            ("COMMIT", 1, 2),
            ("COMMIT", 3, 3),
        ] {
            let conn = Unsteady { statement, times: Cell::new(times), said: RefCell::default() };
            let mut run = 0;
            let result = in_transaction(&conn, |conn| {
                run += 1;
                conn.execute("UPDATE t", &[]).map(|()| run)
            });
            assert_eq!(result.ok(), (times < MAX_RUNS).then_some(runs), "{statement}, {times} times");
            let said = conn.said.borrow();
            let count = |sql: &str| said.iter().filter(|said| *said == sql).count();
            assert_eq!(count("BEGIN IMMEDIATE"), runs, "{said:?}");
            assert_eq!(count("ROLLBACK"), if times < MAX_RUNS { runs - 1 } else { runs }, "{said:?}");
        }
    }

    #[test]
    fn work_without_a_change_is_not_kept() {
        for (end, sql) in [(End::Commit, "COMMIT"), (End::RollBack, "ROLLBACK")] {
            let conn = Unsteady { statement: "none", times: Cell::new(0), said: RefCell::default() };
            let result = in_transaction_to_end(&conn, |_| Ok::<_, SqlError>((7, end)));
            assert_eq!(result, Ok(7));
            assert_eq!(*conn.said.borrow(), [WAIT_FOR_LOCK, "BEGIN IMMEDIATE", sql]);
        }
    }

    #[test]
    fn a_transaction_that_fails_is_not_run_again() {
        let conn = Unsteady { statement: "none", times: Cell::new(0), said: RefCell::default() };
        let result: Result<(), _> = in_transaction(&conn, |_| Err(SqlError::Constraint("unique".into())));
        assert_eq!(result, Err(SqlError::Constraint("unique".into())));
        assert_eq!(*conn.said.borrow(), [WAIT_FOR_LOCK, "BEGIN IMMEDIATE", "ROLLBACK"]);
    }
}
