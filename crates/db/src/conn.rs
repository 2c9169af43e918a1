//! The database as this crate uses it: a connection runs a statement and returns its rows.

use crate::SqlValue;

/// The rows that a statement returns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SqlRows {
    /// The names of the columns, as SQLite gives them: the alias, or else the column's name in its table.
    pub columns: Vec<String>,
    /// The rows; values in the order of the columns.
    pub values: Vec<Vec<SqlValue>>,
}

/// The reasons why a statement failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SqlError {
    /// Another connection held the write lock for longer than the busy timeout.
    #[error("the database is locked")]
    Busy,
    /// A table or column in the statement does not exist: the schema is older than the code.
    #[error("the schema is out of date: {0}")]
    Schema(String),
    /// A unique or foreign key constraint rejected the change.
    #[error("a constraint refused the change: {0}")]
    Constraint(String),
    /// The database server has abandoned the statement and its transaction. Nothing has changed and the
    /// statement is not at fault, so it may be run again.
    #[error("the database has given up: {0}")]
    GivenUp(String),
    /// The database could not be opened or queried.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
}

/// Error texts with which libSQL's server abandons work: a statement that it believed to be cancelled
/// (`docs/upstream.md`), a connection that was idle for 10 seconds, a transaction that took more than 5
/// seconds, and a connection that it could not open within a second.
const GIVEN_UP: [&str; 4] = [
    "SQLITE_INTERRUPT",
    "STREAM_EXPIRED",
    "TRANSACTION_TIMEOUT",
    "Timed out while opening database connection",
];

impl SqlError {
    /// Maps SQLite's message to a variant: neither Spin's interface nor libSQL gives an error code.
    pub fn from_message(message: &str) -> Self {
        let lower = message.to_ascii_lowercase();
        if GIVEN_UP.iter().any(|code| message.contains(code)) {
            Self::GivenUp(message.to_owned())
        } else if lower.contains("database is locked")
            || lower.contains("database table is locked")
            || lower.contains("busy")
        {
            Self::Busy
        } else if lower.contains("no such table")
            || lower.contains("no such column")
            || lower.contains("has no column named")
        {
            Self::Schema(message.to_owned())
        } else if lower.contains("constraint") {
            Self::Constraint(message.to_owned())
        } else {
            Self::Unavailable(message.to_owned())
        }
    }
}

/// An error that may have been caused by a failed statement.
pub trait SqlFailure: From<SqlError> {
    /// Why the statement failed. `None` if the cause was something else.
    fn sql_error(&self) -> Option<&SqlError>;
}

impl SqlFailure for SqlError {
    fn sql_error(&self) -> Option<&SqlError> {
        Some(self)
    }
}

/// An open connection.
pub trait SqlConn {
    /// Runs one statement and returns all its rows.
    fn run(&self, sql: &str, params: &[SqlValue]) -> Result<SqlRows, SqlError>;

    /// Runs one statement and ignores its rows.
    fn execute(&self, sql: &str, params: &[SqlValue]) -> Result<(), SqlError> {
        self.run(sql, params).map(|_| ())
    }
}

/// Opens connections.
pub trait Database {
    /// The type of connection.
    type Conn: SqlConn;
    /// Opens a new connection.
    fn connect(&self) -> Result<Self::Conn, SqlError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_has_given_up_is_told_from_what_failed() {
        for message in [
            "Hrana: `cursor error: `error at step 0: (error code: SQLITE_INTERRUPT) `SQLite error: interrupted```",
            "Hrana: `stream error: `Error { message: \"The stream has expired due to inactivity\", code: \"STREAM_EXPIRED\" }``",
            "Hrana: `api error: `{\"error\":\"Timed out while opening database connection\"}``",
            "Hrana: `stream error: `Error { message: \"Transaction timed-out\", code: \"TRANSACTION_TIMEOUT\" }``",
        ] {
            assert_eq!(SqlError::from_message(message), SqlError::GivenUp(message.to_owned()));
        }
        assert_eq!(SqlError::from_message("database is locked"), SqlError::Busy);
        let refused = SqlError::from_message("connection refused");
        assert_eq!(refused, SqlError::Unavailable("connection refused".to_owned()));
    }
}
