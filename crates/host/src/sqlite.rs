//! SQL databases for components: SQLite files, one new connection for each `open`.

mod interface;
mod query;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::{Connection, InterruptHandle};

pub(crate) use query::{QueryResult, Value};

/// How long a statement waits for a lock that another connection holds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// A component's connection. Dropping it ends a statement that is still running and undoes an open transaction.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct DatabaseConnection {
    connection: Arc<Mutex<Connection>>,
    interrupt: InterruptHandle,
    result_bytes: usize,
}

impl DatabaseConnection {
    /// Opens or creates the file at `path`; query results of more than `result_bytes` fail.
    pub(crate) async fn open(path: Arc<Path>, result_bytes: usize) -> Result<Self, String> {
        let open = move || {
            let connection = Connection::open(path)?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            connection.authorizer(Some(authorize));
            let interrupt = connection.get_interrupt_handle();
            Ok(Self { connection: Arc::new(Mutex::new(connection)), interrupt, result_bytes })
        };
        in_background(move || open().map_err(|error: rusqlite::Error| error.to_string())).await
    }

    /// Runs the first statement of `sql`.
    pub(crate) fn execute(
        &self,
        sql: String,
        parameters: Vec<Value>,
    ) -> impl Future<Output = Result<QueryResult, String>> + Send + use<> {
        let connection = self.connection.clone();
        let limit = self.result_bytes;
        in_background(move || query::run(&query::lock(&connection), &sql, parameters, limit))
    }

    /// Row id of the last insert, 0 before the first.
    pub(crate) fn last_insert_rowid(&self) -> i64 {
        query::lock(&self.connection).last_insert_rowid()
    }

    /// Rows touched by the last insert, update or delete.
    pub(crate) fn changes(&self) -> u64 {
        query::lock(&self.connection).changes()
    }
}

impl Drop for DatabaseConnection {
    fn drop(&mut self) {
        self.interrupt.interrupt();
    }
}

/// A component gets its own database, not every file of the machine.
fn authorize(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Attach { filename } if !matches!(filename, "" | ":memory:") => Authorization::Deny,
        _ => Authorization::Allow,
    }
}

/// Runs `work` on a thread for blocking work: a statement may wait seconds for a lock.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?
}
