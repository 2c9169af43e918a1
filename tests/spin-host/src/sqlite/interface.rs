//! `fermyon:spin/sqlite` and `spin:sqlite/sqlite` for components: one implementation for two sets of
//! generated types.

use wasmtime::component::Resource;

use super::{DatabaseConnection, QueryResult, Value};
use crate::bindings::{sqlite_v2, sqlite_v3};
use crate::guest::Guest;

type Handle = Resource<DatabaseConnection>;

/// Why a connection could not be opened. Converted to either of the two generated errors.
enum OpenError {
    Denied,
    Full,
    Io(String),
}

impl Guest {
    async fn open_database(&mut self, label: &str) -> Result<Handle, OpenError> {
        let file = self.services.databases.get(label).ok_or(OpenError::Denied)?.clone();
        if self.open_connections >= self.services.limits.open_handles {
            return Err(OpenError::Full);
        }
        let limit = self.services.limits.result_bytes;
        let connection = DatabaseConnection::open(file, limit).await.map_err(OpenError::Io)?;
        let handle = self.table.push(connection).map_err(|_| OpenError::Full)?;
        self.open_connections += 1;
        Ok(handle)
    }

    fn close_database(&mut self, handle: Handle) -> wasmtime::Result<()> {
        self.table.delete(handle)?;
        self.open_connections = self.open_connections.saturating_sub(1);
        Ok(())
    }
}

macro_rules! implement {
    ($bindings:ident { $($extra:tt)* }) => {
        impl $bindings::Host for Guest {}

        impl $bindings::HostConnection for Guest {
            async fn open(&mut self, database: String) -> Result<Handle, $bindings::Error> {
                self.open_database(&database).await.map_err(|error| match error {
                    OpenError::Denied => $bindings::Error::AccessDenied,
                    OpenError::Full => $bindings::Error::DatabaseFull,
                    OpenError::Io(message) => $bindings::Error::Io(message),
                })
            }

            async fn execute(
                &mut self,
                connection: Handle,
                statement: String,
                parameters: Vec<$bindings::Value>,
            ) -> Result<$bindings::QueryResult, $bindings::Error> {
                let connection = self.table.get(&connection).map_err(|_| $bindings::Error::InvalidConnection)?;
                let parameters = parameters.into_iter().map(Into::into).collect();
                connection.execute(statement, parameters).await.map(Into::into).map_err($bindings::Error::Io)
            }

            $($extra)*

            fn drop(&mut self, connection: Handle) -> wasmtime::Result<()> {
                self.close_database(connection)
            }
        }

        impl From<$bindings::Value> for Value {
            fn from(value: $bindings::Value) -> Self {
                match value {
                    $bindings::Value::Integer(number) => Self::Integer(number),
                    $bindings::Value::Real(number) => Self::Real(number),
                    $bindings::Value::Text(text) => Self::Text(text),
                    $bindings::Value::Blob(bytes) => Self::Blob(bytes),
                    $bindings::Value::Null => Self::Null,
                }
            }
        }

        impl From<Value> for $bindings::Value {
            fn from(value: Value) -> Self {
                match value {
                    Value::Integer(number) => Self::Integer(number),
                    Value::Real(number) => Self::Real(number),
                    Value::Text(text) => Self::Text(text),
                    Value::Blob(bytes) => Self::Blob(bytes),
                    Value::Null => Self::Null,
                }
            }
        }

        impl From<QueryResult> for $bindings::QueryResult {
            fn from(result: QueryResult) -> Self {
                let row = |values: Vec<Value>| $bindings::RowResult { values: values.into_iter().map(Into::into).collect() };
                Self { columns: result.columns, rows: result.rows.into_iter().map(row).collect() }
            }
        }
    };
}

implement!(sqlite_v2 {});

implement!(sqlite_v3 {
    fn last_insert_rowid(&mut self, connection: Handle) -> i64 {
        self.table.get(&connection).map_or(0, DatabaseConnection::last_insert_rowid)
    }

    fn changes(&mut self, connection: Handle) -> u64 {
        self.table.get(&connection).map_or(0, DatabaseConnection::changes)
    }
});
