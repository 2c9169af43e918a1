//! The embedded host as a separate process.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::account::API_KEY;
use crate::account::{self, Account};
use crate::client::Client;
use crate::embedded::{built_manifest, cache_dir};
use crate::storage::{ACCESS_KEY, Objects, SECRET_KEY};
use crate::wait::until;
use crate::world::JWT_SECRET;

/// Time limit for a host to answer after its start.
const START_LIMIT: Duration = Duration::from_mins(1);

/// A host and its storage with one state folder. Dropping it kills the process.
pub struct HostProcess {
    child: Child,
    // Kept open while the process runs, because writing to a closed pipe would end it.
    _stdout: BufReader<ChildStdout>,
    /// The service's base URL.
    pub url: String,
    /// The objects in its storage.
    pub objects: Objects,
    state_dir: PathBuf,
}

impl HostProcess {
    /// Starts a host on free ports. `program` is the path of the binary `host-under-test`.
    pub fn start(program: &str, state_dir: &Path) -> Self {
        Self::start_at(program, state_dir, "127.0.0.1:0", "127.0.0.1:0")
    }

    fn start_at(program: &str, state_dir: &Path, listen: &str, storage_listen: &str) -> Self {
        let mut child = Command::new(program)
            .args(["up", "--no-build", "--listen", listen, "--storage-listen", storage_listen, "--from"])
            .arg(built_manifest())
            .arg("--cache-dir")
            .arg(cache_dir())
            .arg("--state-dir")
            .arg(state_dir)
            .args([("jwt_secret", JWT_SECRET), ("api_key", API_KEY)].map(variable))
            .args([("s3_access_key", ACCESS_KEY), ("s3_secret_key", SECRET_KEY)].map(variable))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the host starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let url = announced(&mut stdout, "Serving ");
        let objects = Objects::at(&announced(&mut stdout, "Storage "));
        let host = Self { child, _stdout: stdout, url, objects, state_dir: state_dir.to_owned() };
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
        account::sign_up(&self.client(), name)
    }

    /// Kills the process, like `kill -9`, and starts another one with the same state and addresses.
    #[must_use]
    pub fn killed_and_restarted(mut self, program: &str) -> Self {
        self.kill();
        let address = |url: &str| url.trim_start_matches("http://").to_owned();
        let (listen, storage) = (address(&self.url), address(self.objects.url()));
        Self::start_at(program, &self.state_dir, &listen, &storage)
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// The peak memory use of the process, in KiB. `None` if the system does not report it.
    pub fn peak_memory_kib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }

    /// Path of the database file.
    pub fn database_path(&self) -> PathBuf {
        self.state_dir.join("sqlite_db.db")
    }
}

fn variable((name, value): (&str, &str)) -> String {
    format!("--variable={name}={value}")
}

/// The text that the process prints after `word`.
fn announced(stdout: &mut BufReader<ChildStdout>, word: &str) -> String {
    let mut lines = stdout.lines().map_while(Result::ok);
    let found = lines.find_map(|line| line.strip_prefix(word).map(str::to_owned));
    found.unwrap_or_else(|| panic!("the host ended without saying `{word}`"))
}

impl Drop for HostProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
