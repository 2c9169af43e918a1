//! SQLite in a file.

use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Batch, Connection, Row, Statement, StatementStatus, ToSql, params_from_iter};
use spindrift_db::{Database, SqlConn, SqlError, SqlRows, SqlValue};

use crate::NativePlatform;
use crate::counts::Counter;
use crate::faults::{Life, REASON, Switch};
use crate::grants::{NOT_GRANTED, SQLITE_DATABASES};
use crate::pool::Lease;

/// Largest result of a statement, in bytes, as in Spin. Without it, one query could fill the memory.
const MAX_RESULT_BYTES: usize = 128 * 1024 * 1024;

/// An open connection to the platform's database.
#[derive(Debug)]
pub struct NativeConn {
    lease: Lease,
    fault: Switch,
    /// The life during which the request arrived that this connection serves.
    life: (Life, u64),
    statements: Counter,
    scanned_rows: Counter,
}

impl Database for NativePlatform {
    type Conn = NativeConn;

    fn connect(&self) -> Result<NativeConn, SqlError> {
        let fault = self.faults().sql.clone();
        check(&fault)?;
        require(self.is_alive(false))?;
        let life = (self.faults().life.clone(), self.life());
        if !self.is_granted(SQLITE_DATABASES) {
            return Err(SqlError::Unavailable(NOT_GRANTED.to_owned()));
        }
        let lease = self.pool().take().map_err(|error| failure(&error))?;
        let counts = self.counts();
        let (statements, scanned_rows) = (counts.statements.clone(), counts.scanned_rows.clone());
        Ok(NativeConn { lease, fault, life, statements, scanned_rows })
    }
}

impl SqlConn for NativeConn {
    /// Runs only the first statement of `sql`, as on Spin. Without a statement there are no rows.
    fn run(&self, sql: &str, params: &[SqlValue]) -> Result<SqlRows, SqlError> {
        check(&self.fault)?;
        let (life, number) = &self.life;
        require(life.allows(*number, life.is_limited() && self.makes_changes_permanent(sql)))?;
        self.statements.count();
        let conn = self.lease.connection().ok_or_else(closed)?;
        if sql.starts_with("PRAGMA") {
            self.lease.note_settings();
        }
        rows(conn, sql, params, &self.scanned_rows)
    }
}

impl NativeConn {
    /// Whether this statement makes changes permanent: it commits, or it writes outside a transaction.
    fn makes_changes_permanent(&self, sql: &str) -> bool {
        let Some(conn) = self.lease.connection() else { return false };
        if !conn.is_autocommit() {
            return sql.starts_with("COMMIT");
        }
        conn.prepare(sql).is_ok_and(|statement| !statement.readonly()) && !sql.starts_with("BEGIN")
    }
}

fn check(fault: &Switch) -> Result<(), SqlError> {
    require(!fault.is_on())
}

fn require(is_there: bool) -> Result<(), SqlError> {
    if is_there { Ok(()) } else { Err(SqlError::Unavailable(REASON.to_owned())) }
}

fn failure(error: &rusqlite::Error) -> SqlError {
    SqlError::from_message(&error.to_string())
}

fn closed() -> SqlError {
    SqlError::Unavailable("the connection is closed".to_owned())
}

fn rows(conn: &Connection, sql: &str, params: &[SqlValue], scanned: &Counter) -> Result<SqlRows, SqlError> {
    let rows = match conn.prepare_cached(sql) {
        // A text without any statement.
        Ok(statement) if statement.expanded_sql().is_none() => Ok(Some(SqlRows::default())),
        Ok(mut statement) => rows_of(&mut statement, params, scanned),
        // Only the first statement is run, as on Spin.
        Err(rusqlite::Error::MultipleStatement) => match Batch::new(conn, sql).next() {
            Ok(Some(mut statement)) => rows_of(&mut statement, params, scanned),
            Ok(None) => Ok(Some(SqlRows::default())),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    match rows {
        Ok(Some(rows)) => Ok(rows),
        Ok(None) => Err(SqlError::Unavailable(format!("a result has more than {MAX_RESULT_BYTES} bytes"))),
        Err(error) => Err(failure(&error)),
    }
}

/// All rows. `None` if they take more than [`MAX_RESULT_BYTES`].
fn rows_of(
    statement: &mut Statement<'_>,
    params: &[SqlValue],
    scanned: &Counter,
) -> rusqlite::Result<Option<SqlRows>> {
    let columns: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
    let mut rows = statement.query(params_from_iter(params.iter().map(Param)))?;
    let (mut values, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let row: Vec<SqlValue> =
            (0..columns.len()).map(|index| value(row, index)).collect::<rusqlite::Result<_>>()?;
        bytes += row.iter().map(size).sum::<usize>();
        if bytes > MAX_RESULT_BYTES {
            return Ok(None);
        }
        values.push(row);
    }
    drop(rows);
    let steps = statement.reset_status(StatementStatus::FullscanStep);
    scanned.add(u64::try_from(steps).unwrap_or(0));
    Ok(Some(SqlRows { columns, values }))
}

fn value(row: &Row<'_>, index: usize) -> rusqlite::Result<SqlValue> {
    Ok(match row.get(index)? {
        Value::Null => SqlValue::Null,
        Value::Integer(integer) => SqlValue::Integer(integer),
        Value::Real(real) => SqlValue::Real(real),
        Value::Text(text) => SqlValue::Text(text),
        Value::Blob(bytes) => SqlValue::Blob(bytes),
    })
}

/// Number of bytes that a value takes in memory.
fn size(value: &SqlValue) -> usize {
    size_of::<SqlValue>()
        + match value {
            SqlValue::Text(text) => text.len(),
            SqlValue::Blob(bytes) => bytes.len(),
            SqlValue::Null | SqlValue::Integer(_) | SqlValue::Real(_) => 0,
        }
}

/// A value to bind.
struct Param<'a>(&'a SqlValue);

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            SqlValue::Null => ValueRef::Null,
            SqlValue::Integer(integer) => ValueRef::Integer(*integer),
            SqlValue::Real(real) => ValueRef::Real(*real),
            SqlValue::Text(text) => ValueRef::Text(text.as_bytes()),
            SqlValue::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

#[cfg(test)]
mod tests {
    use spindrift_db::{Database as _, SqlConn as _, SqlError, SqlValue};

    use crate::NativePlatform;

    fn platform() -> (tempfile::TempDir, NativePlatform) {
        let dir = tempfile::tempdir().unwrap();
        let platform = NativePlatform::new(dir.path());
        (dir, platform)
    }

    #[test]
    fn values_come_back_as_they_went_in() {
        let (_dir, platform) = platform();
        let values = vec![
            SqlValue::Null,
            SqlValue::Integer(i64::MIN),
            SqlValue::Real(0.5),
            SqlValue::from("é"),
            SqlValue::Blob(vec![0, 255]),
        ];
        let rows = platform.connect().unwrap().run("SELECT ? AS a, ?, ?, ?, ?", &values).unwrap();
        assert_eq!((rows.columns[0].as_str(), rows.values), ("a", vec![values]));
        assert_eq!(platform.statements(), 1);
    }

    #[test]
    fn connections_share_the_file() {
        let (_dir, platform) = platform();
        let conn = platform.connect().unwrap();
        assert!(conn.run("CREATE TABLE t (a INTEGER UNIQUE)", &[]).unwrap().values.is_empty());
        let rows =
            conn.run("INSERT INTO t VALUES (?), (?) RETURNING a", &[1_i64.into(), 2_i64.into()]).unwrap();
        assert_eq!(rows.values, [[SqlValue::Integer(1)], [SqlValue::Integer(2)]]);
        let rows = platform.connect().unwrap().run("SELECT count(*) FROM t", &[]).unwrap();
        assert_eq!(rows.values, [[SqlValue::Integer(2)]]);
    }

    #[test]
    fn only_the_first_statement_runs() {
        let (_dir, platform) = platform();
        let conn = platform.connect().unwrap();
        let rows = conn.run("-- a comment\nSELECT 1; CREATE TABLE t (a)", &[]).unwrap();
        assert_eq!(rows.values, [[SqlValue::Integer(1)]]);
        assert!(matches!(conn.run("SELECT * FROM t", &[]), Err(SqlError::Schema(_))));
        assert!(conn.run(" -- nothing", &[]).unwrap().values.is_empty());
    }

    #[test]
    fn errors_are_sorted() {
        let (_dir, platform) = platform();
        let conn = platform.connect().unwrap();
        conn.run("CREATE TABLE t (a INTEGER UNIQUE)", &[]).unwrap();
        conn.run("INSERT INTO t VALUES (1)", &[]).unwrap();
        assert!(matches!(conn.run("INSERT INTO t VALUES (1)", &[]), Err(SqlError::Constraint(_))));
        assert!(matches!(conn.run("SELECT b FROM t", &[]), Err(SqlError::Schema(_))));
        assert!(matches!(conn.run("SELECT ?", &[]), Err(SqlError::Unavailable(_))));
        assert!(matches!(NativePlatform::new("/no/such/folder").connect(), Err(SqlError::Unavailable(_))));
    }

    #[test]
    fn dies_where_something_would_be_stored() {
        let (_dir, platform) = platform();
        let conn = platform.connect().unwrap();
        platform.die_after(2);
        conn.run("CREATE TABLE t (a)", &[]).unwrap();
        conn.run("BEGIN IMMEDIATE", &[]).unwrap();
        conn.run("INSERT INTO t VALUES (1)", &[]).unwrap();
        conn.run("COMMIT", &[]).unwrap();
        conn.run("BEGIN IMMEDIATE", &[]).unwrap();
        conn.run("INSERT INTO t VALUES (2)", &[]).unwrap();
        assert!(conn.run("COMMIT", &[]).is_err() && platform.is_dead() && platform.connect().is_err());
        assert!(platform.revive());
        assert!(conn.run("ROLLBACK", &[]).is_err(), "the connection of a killed process");
        drop(conn);
        let rows = platform.connect().unwrap().run("SELECT a FROM t", &[]).unwrap();
        assert_eq!(rows.values, [[SqlValue::Integer(1)]]);
    }

    #[test]
    fn fails_on_demand() {
        let (_dir, platform) = platform();
        let conn = platform.connect().unwrap();
        platform.fail_sql(true);
        assert!(matches!(conn.run("SELECT 1", &[]), Err(SqlError::Unavailable(_))));
        assert!(matches!(platform.connect(), Err(SqlError::Unavailable(_))));
        platform.fail_sql(false);
        assert!(conn.run("SELECT 1", &[]).is_ok());
    }
}
