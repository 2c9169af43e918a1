//! The database behind Spin's SQLite interface.

use std::rc::Rc;

use spindrift_db::{Database, SqlConn, SqlError, SqlRows, SqlValue};

use crate::SpinPlatform;
use crate::bindings::fermyon::spin::sqlite::{Connection, Error, RowResult, Value};
use crate::form::connection;

/// The name of the database in the manifests.
const NAME: &str = "default";

/// A connection. In the form for preview 2 it is closed when dropped; in the other one the instance keeps it open.
pub struct SpinConnection(Rc<Connection>);

impl Database for SpinPlatform {
    type Conn = SpinConnection;

    fn connect(&self) -> Result<SpinConnection, SqlError> {
        let opened = connection::open(|| Connection::open(NAME));
        opened.map(SpinConnection).map_err(|error| sql_error(&error))
    }
}

impl SqlConn for SpinConnection {
    fn run(&self, sql: &str, params: &[SqlValue]) -> Result<SqlRows, SqlError> {
        if connection::is_told(sql) {
            return Ok(SqlRows::default());
        }
        let params: Vec<Value> = params.iter().cloned().map(to_spin).collect();
        let result = self.0.execute(sql, &params).map_err(|error| {
            connection::release();
            sql_error(&error)
        })?;
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
