//! Runs one statement and collects its rows.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, Connection, Statement, params_from_iter};

pub(crate) use rusqlite::types::Value;

/// The column names and rows of a result.
pub(crate) struct QueryResult {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Value>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the first statement of `sql`. `limit` is the maximum size of the result, in bytes.
///
/// # Errors
/// The message of `SQLite`.
pub(super) fn run(
    connection: &Connection,
    sql: &str,
    parameters: Vec<Value>,
    limit: usize,
) -> Result<QueryResult, String> {
    let first = match connection.prepare_cached(sql) {
        Ok(mut statement) => collect(&mut statement, parameters, limit),
        Err(rusqlite::Error::MultipleStatement) => match Batch::new(connection, sql).next() {
            Ok(Some(mut statement)) => collect(&mut statement, parameters, limit),
            Ok(None) => Ok(Some(QueryResult { columns: Vec::new(), rows: Vec::new() })),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    match first {
        Ok(Some(result)) => Ok(result),
        Ok(None) => Err(format!("the result exceeds {limit} bytes")),
        Err(error) => Err(error.to_string()),
    }
}

/// All rows. `None`: they have more than `limit` bytes.
fn collect(
    statement: &mut Statement<'_>,
    parameters: Vec<Value>,
    limit: usize,
) -> rusqlite::Result<Option<QueryResult>> {
    let columns: Vec<String> = statement.column_names().into_iter().map(ToOwned::to_owned).collect();
    let width = columns.len();
    let mut cursor = statement.query(params_from_iter(parameters))?;
    let mut rows = Vec::new();
    let mut bytes = 0;
    while let Some(row) = cursor.next()? {
        let values: Vec<Value> =
            (0..width).map(|column| owned(row.get_ref(column)?)).collect::<rusqlite::Result<_>>()?;
        bytes += values.iter().map(size).sum::<usize>();
        if bytes > limit {
            return Ok(None);
        }
        rows.push(values);
    }
    Ok(Some(QueryResult { columns, rows }))
}

fn owned(value: ValueRef<'_>) -> rusqlite::Result<Value> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        ValueRef::Text(bytes) => {
            Value::Text(std::str::from_utf8(bytes).map_err(rusqlite::Error::Utf8Error)?.to_owned())
        }
    })
}

fn size(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::Text(text) => text.len(),
            Value::Blob(bytes) => bytes.len(),
            _ => 0,
        }
}
