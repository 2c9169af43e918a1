//! The program of one machine as a separate process.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::account::{self, API_KEY, Account, PASSWORD};
use crate::client::Client;
use crate::host_child::{HostChild, Launch};
use crate::manifest::Variables;
use crate::state::DATABASE_FILE;
use crate::storage::{ACCESS_KEY, Objects, SECRET_KEY};
use crate::wait::until;
use crate::world::{JWT_SECRET, WEBHOOKS_TO_NOBODY};

/// The log of a host, in its state folder.
const LOG_FILE: &str = "host.log";
/// Time limit for a host to answer after its start.
const START_LIMIT: Duration = Duration::from_mins(1);

/// A free port of this machine.
const FREE: &str = "127.0.0.1:0";

/// A host and its storage with one state folder. Dropping it kills the process.
pub struct HostProcess {
    child: HostChild,
    /// The service's base URL.
    pub url: String,
    /// The objects in its storage.
    pub objects: Objects,
    state_dir: PathBuf,
}

/// A host that was killed. Its addresses are free, and its state is as it left it.
#[must_use]
pub struct Killed {
    listen: String,
    storage_listen: String,
    state_dir: PathBuf,
}

impl Killed {
    /// Starts another host with the same state and addresses.
    pub fn start_again(self, program: &str) -> HostProcess {
        HostProcess::start_at(program, &self.state_dir, &self.listen, &self.storage_listen)
    }
}

impl HostProcess {
    /// Starts a host on free ports. `program` is the path of the binary `host-under-test`.
    pub fn start(program: &str, state_dir: &Path) -> Self {
        Self::start_at(program, state_dir, FREE, FREE)
    }

    /// Starts a host that makes its secrets itself, but for the key with which admins sign up.
    pub fn start_with_generated_secrets(program: &str, state_dir: &Path) -> Self {
        Self::start_with(program, state_dir, [FREE; 2], &[("api_key", API_KEY)])
    }

    fn start_at(program: &str, state_dir: &Path, listen: &str, storage_listen: &str) -> Self {
        let variables = [
            ("jwt_secret", JWT_SECRET),
            ("webhook_origin", WEBHOOKS_TO_NOBODY),
            ("api_key", API_KEY),
            ("s3_access_key", ACCESS_KEY),
            ("s3_secret_key", SECRET_KEY),
        ];
        Self::start_with(program, state_dir, [listen, storage_listen], &variables)
    }

    fn start_with(
        program: &str,
        state_dir: &Path,
        [listen, storage_listen]: [&str; 2],
        variables: &[(&str, &str)],
    ) -> Self {
        let variables: Variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut child = HostChild::start(&Launch {
            program: Path::new(program),
            state_dir,
            variables: &variables,
            listen,
            storage_listen: Some(storage_listen),
            log: Some(&state_dir.join(LOG_FILE)),
        });
        let (url, objects) = (child.url().to_owned(), Objects::at(&child.storage_url()));
        let host = Self { child, url, objects, state_dir: state_dir.to_owned() };
        let client = host.client();
        until("the host answers", START_LIMIT, || {
            client.get("/health").try_send().ok().filter(|answer| answer.status == 200)
        });
        host
    }

    /// A client without credentials.
    pub fn client(&self) -> Client {
        Client::new(&self.url)
    }

    /// Signs up an admin and logs in.
    pub fn admin(&self, name: &str) -> Account {
        account::sign_up(&self.client(), name);
        account::log_in(&self.client(), name, PASSWORD)
    }

    /// Logs in an admin that [`HostProcess::admin`] signed up.
    pub fn login(&self, name: &str) -> Account {
        account::log_in(&self.client(), name, PASSWORD)
    }

    /// Kills the process, like `kill -9`.
    pub fn killed(mut self) -> Killed {
        self.child.kill();
        let address = |url: &str| url.trim_start_matches("http://").to_owned();
        let (listen, storage_listen) = (address(&self.url), address(self.objects.url()));
        Killed { listen, storage_listen, state_dir: self.state_dir.clone() }
    }

    /// Kills the process, like `kill -9`, and starts another one with the same state and addresses.
    #[must_use]
    pub fn killed_and_restarted(self, program: &str) -> Self {
        self.killed().start_again(program)
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The peak memory use of the process, in KiB. `None` if the system does not report it.
    pub fn peak_memory_kib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }

    /// Path of the database file.
    pub fn database_path(&self) -> PathBuf {
        self.state_dir.join(DATABASE_FILE)
    }
}
