//! An edge deployment has no database: it gets its records from its origin.

use spindrift_db::{Database, SqlConn, SqlError, SqlRows, SqlValue};

use crate::EdgePlatform;

/// A connection that cannot exist.
pub enum NoConnection {}

impl Database for EdgePlatform {
    type Conn = NoConnection;

    fn connect(&self) -> Result<NoConnection, SqlError> {
        Err(SqlError::Unavailable("an edge has no database".to_owned()))
    }
}

impl SqlConn for NoConnection {
    fn run(&self, _sql: &str, _params: &[SqlValue]) -> Result<SqlRows, SqlError> {
        match *self {}
    }
}
