//! The properties of a world to start.

use std::path::{Path, PathBuf};

use spindrift_native::Use;

use crate::build::Build;
use crate::driver::Driver;
use crate::libsql::Libsql;
use crate::redis::Redis;
use crate::spin::{KeyValues, Stores};
use crate::state::{self, DATABASE_FILE};

/// Environment variable for tests: `redis-libsql` makes worlds on Spin use servers of their own instead of
/// files.
const STORES: &str = "SPINDRIFT_TEST_STORES";
/// Environment variable for tests: how many Spins run in a world with such stores, and answer requests in
/// turns.
const SPINS: &str = "SPINDRIFT_TEST_SPINS";

/// The callers that reach the storage through a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gated {
    Nobody,
    Service,
    /// Uploaders too.
    Everybody,
}

/// The database of a world that begins without a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewDatabase {
    /// It has its schema.
    Prepared,
    /// The service creates it.
    Missing,
}

/// A world being built.
pub struct WorldBuilder {
    pub(crate) driver: Driver,
    pub(crate) build: Build,
    pub(crate) program: Option<PathBuf>,
    pub(crate) logged: bool,
    pub(crate) given: Vec<(String, String)>,
    /// Environment variables of Spin.
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) gated: Gated,
    pub(crate) in_memory: bool,
    pub(crate) state: Option<PathBuf>,
    pub(crate) database: NewDatabase,
    /// Whether Spin's key-value store is in memory.
    pub(crate) local_stores: bool,
    pub(crate) redis: Option<Redis>,
    pub(crate) libsql: Option<Libsql>,
    /// The address of that server for the service.
    pub(crate) libsql_url: Option<String>,
    pub(crate) lost: Option<Use>,
}

impl WorldBuilder {
    /// The properties of an empty world.
    pub(crate) fn new(driver: Driver) -> Self {
        Self {
            driver,
            build: if driver == Driver::InProcess { Build::Preview2 } else { Build::of_tests() },
            program: None,
            logged: false,
            given: Vec::new(),
            environment: Vec::new(),
            gated: Gated::Nobody,
            in_memory: false,
            state: None,
            database: NewDatabase::Prepared,
            local_stores: false,
            redis: None,
            libsql: None,
            libsql_url: None,
            lost: None,
        }
    }

    /// Takes the stores that the tests' environment asks for, unless the test chose some.
    pub(crate) fn with_stores_of_tests(mut self) -> Self {
        if !self.are_stores_shared() || self.redis.is_some() || self.libsql.is_some() {
            return self;
        }
        let redis = Redis::start().expect("Redis");
        let database = match &self.state {
            Some(folder) => {
                state::fill(folder, &redis);
                Libsql::start_with(&folder.join(DATABASE_FILE))
            }
            None => Libsql::start(),
        };
        self.redis = Some(redis);
        self.with_libsql(database.expect("libSQL"))
    }

    pub(crate) fn stores(&self) -> Stores {
        let key_values = match &self.redis {
            Some(redis) => KeyValues::Redis(redis.url()),
            None if self.local_stores => KeyValues::Memory,
            None => KeyValues::File,
        };
        Stores { key_values, libsql: self.libsql_url.clone() }
    }

    /// How many Spins run in the world.
    pub(crate) fn spins(&self) -> usize {
        let wanted = std::env::var(SPINS).ok().and_then(|count| count.parse().ok());
        wanted.filter(|_| self.stores().are_shared()).unwrap_or(1)
    }

    /// Removes one variable from the grants of a component.
    #[must_use]
    pub fn without_grant(mut self, component: &str, variable: &str) -> Self {
        self.lost = Some((component.to_owned(), variable.to_owned()));
        self
    }

    /// Runs this build of the components, rather than the one that the tests' environment asks for. The
    /// in-process driver runs none.
    #[must_use]
    pub fn with_build(mut self, build: Build) -> Self {
        assert!(build == Build::Preview2 || self.driver != Driver::InProcess, "it runs no build");
        self.build = build;
        self
    }

    /// Runs the native server as a process of its own, so that its cost can be told from the cost of the
    /// test. `program` has the command `up`.
    #[must_use]
    pub fn as_process(mut self, program: &Path) -> Self {
        assert_eq!(self.driver, Driver::InProcess, "Spin is one anyway, and .wasm files run in the test");
        self.program = Some(program.to_owned());
        self
    }

    /// Keeps the log of such a process in the world's folder. Spin always does that.
    #[must_use]
    pub fn with_log(mut self) -> Self {
        self.logged = true;
        self
    }

    /// Whether the tests' environment asks for Redis and libSQL on Spin.
    pub fn are_stores_shared(&self) -> bool {
        self.driver == Driver::Spin && std::env::var(STORES).is_ok_and(|stores| stores == "redis-libsql")
    }

    /// Sets an application variable.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.given.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets an environment variable of the host itself; only on Spin.
    #[must_use]
    pub fn with_environment(mut self, name: &str, value: &str) -> Self {
        assert_eq!(self.driver, Driver::Spin, "other hosts run in this process");
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Puts a gate between the service and the storage.
    #[must_use]
    pub fn with_gate(mut self) -> Self {
        self.gated = Gated::Service;
        self
    }

    /// Puts a gate before the storage for uploaders too.
    #[must_use]
    pub fn with_gate_for_uploads(mut self) -> Self {
        self.gated = Gated::Everybody;
        self
    }

    /// Keeps all files in memory, if the system has a file system for that, so that nothing waits for a disk.
    #[must_use]
    pub fn in_memory(mut self) -> Self {
        self.in_memory = true;
        self
    }

    /// Begins with copies of the databases in this folder, which nobody uses now.
    #[must_use]
    pub fn with_state(mut self, folder: &Path) -> Self {
        self.state = Some(folder.to_owned());
        self
    }

    /// Begins without a database, so that the service makes it.
    #[must_use]
    pub fn without_database(mut self) -> Self {
        self.database = NewDatabase::Missing;
        self
    }

    /// Runs a host with `runtime-config.toml`, whose key-value store is in memory. By default worlds have
    /// files, which tests can read. Servers named in the tests' environment take precedence.
    #[must_use]
    pub fn with_local_stores(mut self) -> Self {
        self.local_stores = self.driver != Driver::InProcess;
        self
    }

    /// Uses Redis as the key-value store; only on Spin.
    #[must_use]
    pub fn with_redis(mut self, redis: Redis) -> Self {
        assert_eq!(self.driver, Driver::Spin, "other hosts have no Redis");
        self.redis = Some(redis);
        self
    }

    /// Uses a libSQL server as the database; only on Spin.
    #[must_use]
    pub fn with_libsql(self, server: Libsql) -> Self {
        let url = server.url().to_owned();
        self.with_libsql_behind(server, &url)
    }

    /// Like [`Self::with_libsql`], but the service reaches the server at another URL.
    #[must_use]
    pub fn with_libsql_behind(mut self, server: Libsql, url: &str) -> Self {
        assert_eq!(self.driver, Driver::Spin, "other hosts have no libSQL");
        self.libsql = Some(server);
        self.libsql_url = Some(url.to_owned());
        self
    }
}
