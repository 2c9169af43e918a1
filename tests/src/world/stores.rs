//! A test's direct access to the databases of a world.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::Connection;

use super::World;
use crate::database::Database;
use crate::libsql::Libsql;
use crate::running::Running;
use crate::state;

impl World {
    fn database_path(&self) -> PathBuf {
        match &self.running {
            Running::InProcess(server) => server.platform().database_path().to_owned(),
            _ => state::of_world(self.dir.path()).join(state::DATABASE_FILE),
        }
    }

    /// The keys of the key-value store; only on hosts.
    pub fn keys(&self) -> Vec<String> {
        let entries = match &self.redis {
            Some(redis) => redis.entries(),
            None => self.key_values().as_ref().map(state::entries).unwrap_or_default(),
        };
        entries.into_iter().map(|(key, _)| key).collect()
    }

    /// A second connection to the file of the key-value store; only on hosts. `None`: it is in the memory of
    /// a process, or on a server; a message says that the test is skipped.
    pub fn key_values(&self) -> Option<Connection> {
        if self.redis.is_some() {
            println!("skipped: the key-value store is not a file");
            return None;
        }
        if matches!(self.running, Running::Process(_)) {
            return None;
        }
        let connection = Connection::open(state::of_world(self.dir.path()).join(state::KEY_VALUE_FILE))
            .expect("the key-value store");
        connection.busy_timeout(Duration::from_secs(30)).expect("a time-out");
        Some(connection)
    }

    /// The one number that a query of the service's database returns. Fails with the error of the database,
    /// which may be busy.
    pub fn number(&self, sql: &str) -> Result<i64, String> {
        self.database().query_row(sql, [], |row| row.get(0)).map_err(|error| error.to_string())
    }

    /// The server of the database, if there is one.
    pub fn libsql(&mut self) -> Option<&mut Libsql> {
        self.client.note_change();
        self.libsql.as_mut()
    }

    /// A connection of its own to the service's database.
    pub fn database(&self) -> Database {
        self.client.note_change();
        if let Some(server) = &self.libsql {
            return Database::server(server.connect());
        }
        let connection = Connection::open(self.database_path()).expect("the database");
        connection.busy_timeout(Duration::from_secs(30)).expect("a time-out");
        Database::file(connection)
    }
}
