//! The database behind Spin's SQLite interface.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use spindrift_db::{Database, SqlConn, SqlError, SqlRows, SqlValue};

use crate::SpinPlatform;
use crate::bindings::fermyon::spin::sqlite::{Connection, Error, RowResult, Value};
use crate::form::connection;

/// The name of the database in the manifests.
const NAME: &str = "default";

/// Maximum number of attempts at a statement that the database server abandons.
const ATTEMPTS: usize = 3;

/// A connection. In the form for preview 2 it is closed when dropped; in the form for preview 3 the instance
/// keeps it open.
pub struct SpinConnection {
    connection: RefCell<Rc<Connection>>,
    in_transaction: Cell<bool>,
}

impl Database for SpinPlatform {
    type Conn = SpinConnection;

    fn connect(&self) -> Result<SpinConnection, SqlError> {
        Ok(SpinConnection { connection: RefCell::new(open()?), in_transaction: Cell::new(false) })
    }
}

fn open() -> Result<Rc<Connection>, SqlError> {
    connection::open(|| Connection::open(NAME)).map_err(|error| sql_error(&error))
}

impl SqlConn for SpinConnection {
    /// If the server abandons a statement in a transaction, the transaction has ended; the caller runs all of
    /// it again.
    fn run(&self, sql: &str, params: &[SqlValue]) -> Result<SqlRows, SqlError> {
        if connection::has_setting(sql) {
            return Ok(SqlRows::default());
        }
        let params: Vec<Value> = params.iter().cloned().map(to_spin).collect();
        if sql == "ROLLBACK" {
            self.in_transaction.set(false);
        }
        let mut result = self.execute(sql, &params);
        for _ in 1..ATTEMPTS {
            if self.in_transaction.get() || !matches!(result, Err(SqlError::GivenUp(_))) {
                break;
            }
            connection::release();
            self.connection.replace(open()?);
            result = self.execute(sql, &params);
        }
        match &result {
            Ok(_) if sql.starts_with("BEGIN") => self.in_transaction.set(true),
            Ok(_) if sql == "COMMIT" => self.in_transaction.set(false),
            Ok(_) => {}
            Err(_) => connection::release(),
        }
        result
    }
}

impl SpinConnection {
    fn execute(&self, sql: &str, params: &[Value]) -> Result<SqlRows, SqlError> {
        let connection = Rc::clone(&self.connection.borrow());
        let result = connection.execute(sql, params).map_err(|error| sql_error(&error))?;
        let values = |row: RowResult| row.values.into_iter().map(from_spin).collect();
        Ok(SqlRows { columns: result.columns, values: result.rows.into_iter().map(values).collect() })
    }
}

fn to_spin(value: SqlValue) -> Value {
    match value {
        SqlValue::Null => Value::Null,
        SqlValue::Integer(n) => Value::Integer(n),
        SqlValue::Real(x) => Value::Real(x),
        SqlValue::Text(text) => Value::Text(text),
        SqlValue::Blob(bytes) => Value::Blob(bytes),
    }
}

fn from_spin(value: Value) -> SqlValue {
    match value {
        Value::Null => SqlValue::Null,
        Value::Integer(n) => SqlValue::Integer(n),
        Value::Real(x) => SqlValue::Real(x),
        Value::Text(text) => SqlValue::Text(text),
        Value::Blob(bytes) => SqlValue::Blob(bytes),
    }
}

fn sql_error(error: &Error) -> SqlError {
    match error {
        Error::Io(message) => SqlError::from_message(message),
        other => SqlError::Unavailable(format!("{other:?}")),
    }
}
