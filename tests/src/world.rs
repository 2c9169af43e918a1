//! The world of one test: databases, settings, object storage and a running service.

mod stores;

use std::path::Path;
use std::time::Duration;

use spindrift_core::Timestamp;
use spindrift_native::NativePlatform;
use tempfile::TempDir;

use crate::account::{self, API_KEY, Account, PASSWORD};
use crate::beside::Beside;
use crate::build::Build;
use crate::client::{Call, Client};
use crate::driver::Driver;
use crate::gate::Gate;
use crate::in_process::Bound;
use crate::libsql::Libsql;
use crate::manifest::{self, SERVICE, Variables};
use crate::prepared;
use crate::records;
use crate::redis::Redis;
use crate::running::{Runner, Running};
use crate::spin::{KeyValues, Stores};
use crate::state::{self, State};
use crate::storage::Store;
use crate::world_builder::{Gated, NewDatabase, WorldBuilder};

/// The key that signs logins in test worlds.
pub const JWT_SECRET: &str = "a secret of the tests, long enough";
/// Where webhooks may go, unless a test says otherwise: nothing listens there.
pub const WEBHOOKS_TO_NOBODY: &str = "http://127.0.0.1:9";
/// The secret of the service's keys for signed metadata in test worlds.
pub const TUF_SECRET: &str = "a-secret-of-the-tests-for-signed-metadata";
/// Seconds after which records are compared with the database, and one more.
const READ_AGAIN_SECONDS: i64 = 61;
/// The log of a server that is a process of its own, in its state folder.
const LOG_FILE: &str = "host.log";

/// A service with its own storage and databases.
pub struct World {
    running: Running,
    build: Build,
    variables: Variables,
    key_values: KeyValues,
    redis: Option<Redis>,
    libsql: Option<Libsql>,
    store: Store,
    gate: Option<Gate>,
    dir: TempDir,
    client: Client,
}

impl WorldBuilder {
    pub fn start(self) -> World {
        self.with_stores_of_tests().start_with_stores()
    }

    fn start_with_stores(self) -> World {
        let memory = Path::new("/dev/shm");
        let dir = if self.in_memory && memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        let dir = dir.expect("a folder");
        let state = state::of_world(dir.path());
        std::fs::create_dir(&state).expect("a state folder");
        match &self.state {
            Some(folder) => state::copy(folder, &state),
            None if self.database == NewDatabase::Prepared => prepared::copy_database(&state),
            None => {}
        }
        let store = Store::start(&dir.path().join("storage"));
        let mut variables = Variables::new();
        variables.insert("jwt_secret".to_owned(), JWT_SECRET.to_owned());
        variables.insert("webhook_origin".to_owned(), WEBHOOKS_TO_NOBODY.to_owned());
        variables.insert("tuf_secret".to_owned(), TUF_SECRET.to_owned());
        variables.insert("api_key".to_owned(), API_KEY.to_owned());
        // Passwords are half of the processor time of the tests otherwise. A service for others refuses this.
        if !self.given.iter().any(|(name, _)| name == "api_url") {
            variables.insert("password_hash_cost".to_owned(), "test".to_owned());
        }
        variables.extend(store.variables().into_iter().map(|(name, value)| (name.to_owned(), value)));
        let gate = (self.gated != Gated::Nobody).then(|| Gate::before(store.url()));
        if let Some(gate) = &gate {
            variables.insert("s3_api_endpoint".to_owned(), gate.url().to_owned());
            let presigned = if self.gated == Gated::Everybody { gate.url() } else { store.url() };
            variables.insert("s3_presign_endpoint".to_owned(), presigned.to_owned());
        }
        let (stores, spins, log) = (self.stores(), self.spins(), state.join(LOG_FILE));
        variables.extend(self.given);
        // The program of one machine has them in memory.
        let key_values = if self.program.is_some() { KeyValues::Memory } else { stores.key_values.clone() };
        let runner = Runner {
            driver: self.driver,
            program: self.program.as_deref(),
            log: self.logged.then_some(log.as_path()),
            build: self.build,
            stores,
            spins,
            lost: self.lost.as_ref(),
            environment: &self.environment,
        };
        let running = runner.start(&state, &variables);
        let client = Client::of(&running.url(), self.build);
        World {
            running,
            build: self.build,
            variables,
            key_values,
            redis: self.redis,
            libsql: self.libsql,
            store,
            gate,
            dir,
            client,
        }
    }
}

impl World {
    /// An empty world.
    pub fn new(driver: Driver) -> Self {
        Self::builder(driver).start()
    }

    /// A world with its own settings.
    pub fn builder(driver: Driver) -> WorldBuilder {
        WorldBuilder::new(driver)
    }

    /// The service's base URL, for the next request.
    pub fn url(&self) -> String {
        self.client.settle();
        self.running.url()
    }

    /// Starts another host on the same databases and the same storage.
    pub fn beside(&self) -> Beside {
        let state = state::of_world(self.dir.path());
        let mut variables = self.variables.clone();
        variables.insert("api_url".to_owned(), self.url());
        let running = match &self.running {
            Running::InProcess(server) => {
                let manifest = manifest::read(SERVICE);
                let granted = manifest::granted(&manifest);
                let beside = Bound::new().serve(server.platform().clone(), &manifest, granted);
                Running::InProcess(Box::new(beside))
            }
            Running::Process(_) => panic!("one process at a time has a state folder"),
            Running::Embedded(_) => self.runner(Driver::Embedded).start(&state, &variables),
            Running::Spin(_) | Running::Spins { .. } => self.runner(Driver::Spin).start(&state, &variables),
        };
        Beside::new(running, self.build)
    }

    /// The runner of a further host on the same stores.
    fn runner(&self, driver: Driver) -> Runner<'static> {
        let stores = Stores {
            key_values: self.key_values.clone(),
            libsql: self.libsql.as_ref().map(|server| server.url().to_owned()),
        };
        Runner {
            driver,
            program: None,
            log: None,
            build: self.build,
            stores,
            spins: 1,
            lost: None,
            environment: &[],
        }
    }

    /// Stops the service, and returns its databases as it left them.
    pub fn into_state(self) -> State {
        drop(self.running);
        State::of_world(self.dir)
    }

    /// The process of the host, which may have children. `None`: the host runs in this process.
    pub fn host_process(&self) -> Option<u32> {
        let processes = self.host_processes();
        assert!(processes.len() <= 1, "there are several processes");
        processes.first().copied()
    }

    /// The processes of the hosts, which may have children. Empty: the host runs in this process.
    pub fn host_processes(&self) -> Vec<u32> {
        self.running.processes()
    }

    /// How long an answer to an installed copy may be outdated.
    pub fn staleness(&self) -> Duration {
        self.build.staleness()
    }

    /// The object storage.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The gate between the service and the storage, in a world built with one.
    pub fn gate(&self) -> &Gate {
        self.gate.as_ref().expect("a world with a gate")
    }

    /// A folder that is removed with the world.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// A client without credentials.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// A client with no proxy in between, which would refuse or change some paths and methods itself.
    pub fn direct_client(&self) -> Client {
        Client::of(&self.running.host_url(), self.build)
    }

    /// GET without credentials.
    pub fn get(&self, path: &str) -> Call<'_> {
        self.client.get(path)
    }

    /// Signs up an admin and logs in.
    pub fn admin(&self, name: &str) -> Account {
        account::sign_up(&self.client, name);
        self.login(name, PASSWORD)
    }

    /// Logs in a user.
    pub fn login(&self, name: &str, password: &str) -> Account {
        account::log_in(&self.client, name, password)
    }

    /// The platform, with its clock and switches for faults; only in the in-process driver.
    pub fn platform(&self) -> &NativePlatform {
        self.running.platform()
    }

    /// The instructions that a component has run; only in the runner of `.wasm` files, with
    /// [`Build::Counted`].
    pub fn instructions(&self, component: &str) -> u64 {
        match &self.running {
            Running::Embedded(host) => host.instructions(component),
            _ => panic!("only the runner of .wasm files counts instructions"),
        }
    }

    /// Moves the clock forward; only in the in-process driver.
    pub fn advance(&self, seconds: u64) {
        self.platform().advance(Duration::from_secs(seconds));
    }

    /// Makes all scope and updater records older by `seconds`, with every driver.
    pub fn age_records(&self, seconds: i64) {
        self.client.note_change();
        match &self.running {
            Running::InProcess(server) => {
                server.platform().advance(Duration::from_secs(seconds.unsigned_abs()));
            }
            _ => self.change_records(&|derived| derived.plus_seconds(-seconds)),
        }
    }

    /// Makes rollouts, and all stored data about them, older by `seconds`, with every driver.
    pub fn pass_time(&self, seconds: i64) {
        if !matches!(self.running, Running::InProcess(_)) {
            return self.age_rollouts(seconds);
        }
        self.client.note_change();
        self.advance(seconds.unsigned_abs());
    }

    /// Like [`World::pass_time`], without moving the clock, which the storage does not share.
    pub fn age_rollouts(&self, seconds: i64) {
        let since = "json_extract(rollout_plan, '$.since')";
        self.database()
            .execute_batch(&format!(
                "UPDATE releases SET next_at = next_at - {seconds}000, \
                  rollout_plan = json_set(rollout_plan, '$.since', {since} - {seconds}000) WHERE {since} IS NOT NULL; \
                 UPDATE users SET revision = revision + 1;"
            ))
            .expect("older rollouts");
        self.age_records(READ_AGAIN_SECONDS);
    }

    /// Makes all scope and updater records appear newly derived; only on hosts.
    pub fn freshen_records(&self) {
        self.client.note_change();
        let now = Timestamp::from_millis(jiff::Timestamp::now().as_millisecond());
        self.change_records(&|_| now);
    }

    fn change_records(&self, derived: records::Derived<'_>) {
        assert!(!matches!(self.key_values, KeyValues::Memory), "nobody else can change them");
        match &self.redis {
            Some(redis) => records::change_in_redis(redis, derived),
            None => records::change(&state::of_world(self.dir.path()), derived),
        }
    }

    /// Runs `work` while all queries about owners fail. Every answer begins with such a query.
    pub fn without_owners<T>(&self, work: impl FnOnce() -> T) -> T {
        let database = self.database();
        database.execute_batch("ALTER TABLE users RENAME TO away").expect("a table less");
        let done = work();
        self.client.note_change();
        database.execute_batch("ALTER TABLE away RENAME TO users").expect("the table again");
        done
    }
}
