//! `spin up` as a child process.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use spindrift_native::Use;

use crate::answer::Answer;
use crate::build::Build;
use crate::client::Client;
use crate::embedded::{built, built_edge_manifest, manifest_without};
use crate::free_address::free_address;
use crate::manifest::Variables;
use crate::state::{DATABASE_FILE, KEY_VALUE_FILE};
use crate::wait::until;

/// Time limit for the service to answer after `spin up`, which compiles all components first.
const START_LIMIT: Duration = Duration::from_mins(2);

/// Whether the environment variable for tests on Spin is set.
pub(crate) fn is_wanted() -> bool {
    std::env::var("SPINDRIFT_TEST_HOST").is_ok_and(|host| host == "spin")
}

/// A running `spin up`. Dropping it stops it and its child processes.
pub(crate) struct Spin {
    child: Child,
    url: String,
    /// The output of Spin itself. It is kept out of the output of the tests, which run in parallel.
    log: PathBuf,
}

/// File that configures the stores.
const CONFIG_FILE: &str = "runtime-config.toml";

#[derive(Debug, Clone, Default)]
pub(crate) struct Stores {
    pub(crate) key_values: KeyValues,
    /// URL of the database. `None`: it is a file.
    pub(crate) libsql: Option<String>,
}

/// Where Spin keeps its key-value store.
#[derive(Debug, Clone, Default)]
pub(crate) enum KeyValues {
    /// In a file, which tests look into.
    #[default]
    File,
    Memory,
    /// In Redis, at a URL.
    Redis(String),
}

impl Stores {
    /// Whether several hosts can use them.
    pub(crate) const fn are_shared(&self) -> bool {
        matches!((&self.key_values, &self.libsql), (KeyValues::Redis(_), Some(_)))
    }
}

/// The part of a world that runs on Spin.
pub(crate) struct Service<'a> {
    pub(crate) build: Build,
    pub(crate) stores: Stores,
    /// A grant that a component does not get, in the build for preview 2.
    pub(crate) lost: Option<&'a Use>,
    /// Environment variables of Spin itself.
    pub(crate) environment: &'a [(String, String)],
}

impl Spin {
    /// Runs the service.
    pub(crate) fn start(state_dir: &Path, variables: &Variables, service: &Service<'_>) -> Self {
        write_runtime_config(state_dir, &service.stores);
        let manifest = service.lost.map(manifest_without);
        let manifest = manifest.as_deref().unwrap_or_else(|| built(service.build));
        Self::start_with(manifest, state_dir, variables, (200, service.environment))
    }

    /// Starts the edge deployment, which has no health check.
    pub(crate) fn start_edge(state_dir: &Path, variables: &Variables) -> Self {
        write_runtime_config(state_dir, &Stores::default());
        Self::start_at(built_edge_manifest(), state_dir, variables, 404)
    }

    /// Starts the components of a manifest that have no health check.
    pub(crate) fn start_hello(manifest: &Path, state_dir: &Path, stores: &Stores) -> Self {
        write_runtime_config(state_dir, stores);
        Self::start_at(manifest, state_dir, &Variables::new(), 404)
    }

    /// Runs Spin with a manifest. It is ready when its health check returns the status `up`.
    fn start_at(manifest: &Path, state_dir: &Path, variables: &Variables, up: u16) -> Self {
        Self::start_with(manifest, state_dir, variables, (up, &[]))
    }

    fn start_with(
        manifest: &Path,
        state_dir: &Path,
        variables: &Variables,
        (up, environment): (u16, &[(String, String)]),
    ) -> Self {
        let address = free_address();
        let url = format!("http://{address}");
        let mut command = program();
        command.args(["up", "--quiet", "--listen", &address, "--from"]).arg(manifest);
        command
            .arg("--state-dir")
            .arg(state_dir)
            .arg("--runtime-config-file")
            .arg(state_dir.join(CONFIG_FILE));
        for (name, value) in variables {
            command.arg("--variable").arg(format!("{name}={value}"));
        }
        if up == 200 && !variables.contains_key("api_url") {
            command.arg("--variable").arg(format!("api_url={url}"));
        }
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        let log = state_dir.join("spin.log");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log).expect("a log file"));
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let child = command.spawn().expect("a shell");
        let mut spin = Self { child, url, log };
        spin.wait(up, variables);
        spin
    }

    /// Waits for the status `up`, or for an answer that one of the variables cannot be used.
    fn wait(&mut self, up: u16, variables: &Variables) {
        let is_about_a_variable = |answer: &Answer| {
            answer.status == 503 && variables.keys().any(|name| answer.text().contains(name))
        };
        let client = Client::new(&self.url);
        until("spin up answers", START_LIMIT, || {
            if let Ok(Some(status)) = self.child.try_wait() {
                let said = std::fs::read_to_string(&self.log).unwrap_or_default();
                panic!("spin up ended with {status}: {said}");
            }
            client
                .get("/health")
                .try_send()
                .ok()
                .filter(|answer| answer.status == up || is_about_a_variable(answer))
        });
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The id of `spin up`, whose child serves.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

/// Spin. A write beyond a limit that a test sets for the size of files fails in it, and kills nobody.
fn program() -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]);
    shell.arg(std::env::var_os("SPIN_BIN").unwrap_or_else(|| "spin".into()));
    shell
}

/// Most bytes of each log that a failed test prints.
const PRINTED_BYTES: usize = 4_000;

impl Spin {
    /// Prints the ends of the logs of Spin and of the components.
    fn print_logs(&self) {
        let components = self.log.with_file_name("logs");
        let components =
            std::fs::read_dir(components).into_iter().flatten().flatten().map(|entry| entry.path());
        for path in components.chain([self.log.clone()]) {
            let said = std::fs::read(&path).unwrap_or_default();
            if !said.is_empty() {
                let end = &said[said.len().saturating_sub(PRINTED_BYTES)..];
                println!("{}: {}", path.display(), String::from_utf8_lossy(end));
            }
        }
    }
}

impl Drop for Spin {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.print_logs();
        }
        // `spin up` runs the trigger as a child process; both are in one process group.
        #[cfg(unix)]
        {
            let group = format!("-{}", self.child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// For one server: the configuration that users start with, with another folder.
const LOCAL_CONFIG: &str = include_str!("../../runtime-config.toml");
const LOCAL_DATABASE: &str = ".spin/sqlite_db.db";
/// For both servers: the configuration that users deploy, with other addresses.
const SHARED_CONFIG: &str = include_str!("../../deploy/runtime-config.redis-libsql.toml");
/// The addresses in it.
const SHARED_URLS: [&str; 2] =
    ["redis://redis.spindrift.svc.cluster.local:6379", "http://sqld.spindrift.svc.cluster.local:8080"];

/// Writes the configuration of a host's stores. Returns its path.
pub(crate) fn write_runtime_config(state_dir: &Path, stores: &Stores) -> PathBuf {
    let folder = state_dir.display();
    let config = match (&stores.key_values, &stores.libsql) {
        (KeyValues::Memory, None) => {
            replaced(LOCAL_CONFIG, &[(LOCAL_DATABASE, &format!("{folder}/{DATABASE_FILE}"))])
        }
        (KeyValues::Redis(redis), Some(libsql)) => {
            let [old_redis, old_libsql] = SHARED_URLS;
            replaced(SHARED_CONFIG, &[(old_redis, redis), (old_libsql, libsql)])
        }
        (key_values, libsql) => {
            let database = match libsql {
                Some(url) => format!("type = \"libsql\"\nurl = \"{url}\"\ntoken = \"\"\n"),
                None => format!("type = \"spin\"\npath = \"{folder}/{DATABASE_FILE}\"\n"),
            };
            let key_values = match key_values {
                KeyValues::Redis(url) => format!("type = \"redis\"\nurl = \"{url}\"\n"),
                KeyValues::File => format!("type = \"spin\"\npath = \"{folder}/{KEY_VALUE_FILE}\"\n"),
                KeyValues::Memory => "type = \"spin\"\n".to_owned(),
            };
            format!("[sqlite_database.default]\n{database}[key_value_store.default]\n{key_values}")
        }
    };
    let path = state_dir.join(CONFIG_FILE);
    std::fs::write(&path, config).expect("a runtime configuration");
    path
}

fn replaced(config: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(config.to_owned(), |config, (old, new)| {
        assert!(config.contains(old), "{old} is not in {config}");
        config.replace(old, new)
    })
}
