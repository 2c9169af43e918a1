//! A test's own connection to a service's database, which is a file or on a libSQL server.

use rusqlite::types::Value;
use rusqlite::{Connection, Error, Params, Row};

use crate::libsql::{Outcome, Stream};

/// A connection. Its calls are those of [`rusqlite::Connection`], with the same results.
pub struct Database(Kind);

enum Kind {
    File(Connection),
    Server {
        stream: Stream,
        /// Has the same tables, but no rows: binds parameters, and makes rows of the server's answers.
        tables: Connection,
    },
}

impl Database {
    pub(crate) fn file(connection: Connection) -> Self {
        Self(Kind::File(connection))
    }

    pub(crate) fn server(stream: Stream) -> Self {
        let tables = Connection::open_in_memory().expect("a database in memory");
        let schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'view') \
                      AND name NOT LIKE 'sqlite_%'";
        for row in stream.execute(schema).expect("the schema").rows {
            let Some(Value::Text(sql)) = row.into_iter().next() else { panic!("not a statement") };
            tables.execute_batch(&sql).expect("a table");
        }
        Self(Kind::Server { stream, tables })
    }

    /// Runs a statement. Returns how many rows it changed.
    pub fn execute(&self, sql: &str, params: impl Params) -> rusqlite::Result<usize> {
        match &self.0 {
            Kind::File(connection) => connection.execute(sql, params),
            Kind::Server { stream, tables } => {
                Ok(run(stream, &with_parameters(tables, sql, params)?)?.changed)
            }
        }
    }

    /// Runs statements that have no parameters. A transaction lasts as long as the connection, unless it is
    /// ended; a server gives it 5 seconds.
    pub fn execute_batch(&self, sql: &str) -> rusqlite::Result<()> {
        match &self.0 {
            Kind::File(connection) => connection.execute_batch(sql),
            Kind::Server { stream, .. } => stream.run_all(sql).map_err(failed),
        }
    }

    /// Reads the first row that a query returns.
    ///
    /// # Errors
    /// [`Error::QueryReturnedNoRows`], the error of the database, or the error of `read`.
    pub fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        match &self.0 {
            Kind::File(connection) => connection.query_row(sql, params, read),
            Kind::Server { stream, tables } => {
                let rows = run(stream, &with_parameters(tables, sql, params)?)?.rows;
                let row = rows.into_iter().next().ok_or(Error::QueryReturnedNoRows)?;
                read_row(tables, row, read)
            }
        }
    }

    /// Reads all rows that a query returns. Fails like [`Self::query_row`].
    pub fn query_rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Vec<T>> {
        match &self.0 {
            Kind::File(connection) => connection.prepare(sql)?.query_map(params, |row| read(row))?.collect(),
            Kind::Server { stream, tables } => {
                let rows = run(stream, &with_parameters(tables, sql, params)?)?.rows;
                rows.into_iter().map(|row| read_row(tables, row, &read)).collect()
            }
        }
    }

    /// The connection, if the database is a file. `None`: it is on a server; a message says that the test is
    /// skipped.
    pub fn into_file(self) -> Option<Connection> {
        match self.0 {
            Kind::File(connection) => Some(connection),
            Kind::Server { .. } => {
                println!("skipped: the database is not a file");
                None
            }
        }
    }
}

fn read_row<T>(
    tables: &Connection,
    row: Vec<Value>,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let columns = vec!["?"; row.len()].join(", ");
    tables.query_row(&format!("SELECT {columns}"), rusqlite::params_from_iter(row), read)
}

/// The statement with its parameters written into it.
fn with_parameters(tables: &Connection, sql: &str, params: impl Params) -> rusqlite::Result<String> {
    let mut statement = tables.prepare(sql)?;
    let rows = statement.query(params)?;
    Ok(rows.as_ref().and_then(rusqlite::Statement::expanded_sql).expect("a statement"))
}

fn run(stream: &Stream, sql: &str) -> rusqlite::Result<Outcome> {
    stream.execute(sql).map_err(failed)
}

fn failed(error: String) -> Error {
    Error::SqliteFailure(rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ERROR), Some(error))
}
