//! The data for measurements.

use std::sync::Arc;

use anyhow::Context as _;
use serde_json::Value;
use spindrift_tests::{Libsql, Redis, State, World, WorldBuilder};

use crate::host::BuildName;
use crate::load::touch;
use crate::seed;
use crate::setup::{Setup, Stores};
use crate::target::{Server, Target};
use spindrift_tests::Processes;

/// Connections for the requests before the measurement.
pub(crate) const CONNECTIONS: u32 = 16;
/// Settings that the answers depend on. All hosts of a data set have the same, so that its records hold for
/// each.
const SETTINGS: [(&str, &str); 7] = [
    // The variables that checks read: Spin finds them without looking into the environment, as with
    // `deploy/runtime-config.redis-libsql.toml`.
    ("log_reads", "false"),
    ("allowed_cors", ""),
    ("telemetry_enabled", "true"),
    // As in both runtime configurations.
    ("telemetry_gathered", "true"),
    // As in a deployment that counts many devices.
    ("device_hash_key", "a key of the benchmark"),
    ("api_url", "https://updates.example.com"),
    ("s3_public_url", "https://files.example.com/spindrift-public"),
];

/// Applications, with the records from which their checks are answered.
#[derive(Debug)]
pub(crate) struct DataSet {
    pub(crate) apps: u32,
    state: State,
    /// The check's answer about the first application.
    pub(crate) newest: Value,
    /// The `ETag` of the check's answer about each application.
    pub(crate) tags: Arc<[String]>,
}

impl DataSet {
    /// Writes the database, and lets a host that is not measured derive the records. It works in memory:
    /// otherwise each record would wait for the disk.
    pub(crate) fn new(setup: &Setup, apps: u32, releases: u32) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        seed::seed(folder.path(), apps, releases)?;
        let world = with_settings(setup.world(BuildName::Preview2)).with_state(folder.path());
        let world = world.in_memory().start();
        drop(folder);
        let newest = world.get(&seed::check_path(0)).send().expect(200).json();
        let tags = tags(&world, apps)?;
        let server = Server::new(&world.url(), Processes::under(world.host_process().unwrap_or_default()))?;
        let latest = Target::new("latest", &server, seed::latest_path).with_status(302);
        touch(&latest, CONNECTIONS, apps)?;
        touch(&Target::new("feed", &server, seed::feed_path), CONNECTIONS, apps)?;
        Ok(Self { apps, state: world.into_state(), newest, tags })
    }

    /// A world that begins with the data.
    pub(crate) fn world(&self, setup: &Setup, build: BuildName) -> anyhow::Result<WorldBuilder> {
        let world = with_settings(setup.world(build));
        if setup.stores == Stores::Local {
            return Ok(world.with_state(&self.state.folder()).with_local_stores());
        }
        let redis = Redis::start().context("Redis is needed")?;
        self.state.fill(&redis);
        let libsql = Libsql::start_with(&self.state.database()).context("libSQL's server is needed")?;
        Ok(world.with_redis(redis).with_libsql(libsql))
    }
}

fn with_settings(world: WorldBuilder) -> WorldBuilder {
    SETTINGS.into_iter().fold(world, |world, (name, value)| world.with_variable(name, value))
}

fn tags(world: &World, apps: u32) -> anyhow::Result<Arc<[String]>> {
    let client = world.client().keeping_connections();
    let of_worker = |worker: u32| {
        let client = &client;
        move || -> Vec<String> {
            let tag = |app| client.get(&seed::check_path(app)).send().expect(200).header("etag").to_owned();
            (worker..apps).step_by(CONNECTIONS as usize).map(tag).collect()
        }
    };
    let parts: Vec<Vec<String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..CONNECTIONS).map(|worker| scope.spawn(of_worker(worker))).collect();
        workers.into_iter().map(|worker| worker.join().ok()).collect::<Option<_>>()
    })
    .context("a check failed")?;
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    let tag = |app: u32| parts[(app % CONNECTIONS) as usize].next();
    (0..apps).map(tag).collect::<Option<_>>().context("a tag for each application")
}
