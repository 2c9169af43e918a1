//! SQL databases for components, as SQLite files. Each `open` gets an unused connection without any state of
//! an earlier user.

mod file;
mod interface;
mod query;

use std::sync::Arc;

use rusqlite::InterruptHandle;

pub(crate) use file::DatabaseFile;
use file::Lease;
pub(crate) use query::{QueryResult, Value};

/// The connection of a component. Dropping it aborts a running statement and rolls back an open transaction.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct DatabaseConnection {
    lease: Arc<Lease>,
    interrupt: InterruptHandle,
    result_bytes: usize,
}

impl DatabaseConnection {
    /// Opens or creates the file. Query results of more than `result_bytes` are errors.
    pub(crate) async fn open(file: Arc<DatabaseFile>, result_bytes: usize) -> Result<Self, String> {
        let lease = match file.idle() {
            Some(lease) => lease,
            None => in_background(move || file.connect().map_err(|error| error.to_string())).await?,
        };
        let interrupt = lease.connection().get_interrupt_handle();
        Ok(Self { lease: Arc::new(lease), interrupt, result_bytes })
    }

    /// Runs the first statement of `sql`.
    pub(crate) fn execute(
        &self,
        sql: String,
        parameters: Vec<Value>,
    ) -> impl Future<Output = Result<QueryResult, String>> + Send + use<> {
        let lease = self.lease.clone();
        let limit = self.result_bytes;
        in_background(move || query::run(&lease.connection(), &sql, parameters, limit))
    }

    /// Row id of the last insert; 0 before the first.
    pub(crate) fn last_insert_rowid(&self) -> i64 {
        self.lease.connection().last_insert_rowid()
    }

    /// Number of rows changed by the last insert, update or delete.
    pub(crate) fn changes(&self) -> u64 {
        self.lease.connection().changes()
    }
}

impl Drop for DatabaseConnection {
    fn drop(&mut self) {
        self.interrupt.interrupt();
    }
}

/// Runs `work` on a thread for blocking work, because a statement may wait seconds for a lock.
async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())?
}
