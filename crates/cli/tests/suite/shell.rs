//! A user who types commands.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use spindrift_core::Timestamp;
use spindrift_tests::{API_KEY, PASSWORD, World};
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_spindrift");
pub(crate) const KEY_PASSWORD: &str = "a passphrase of the tests";
/// The scope of the releases of `notes`.
pub(crate) const SCOPE: [&str; 8] =
    ["--app", "notes", "--channel", "stable", "--platform", "linux", "--arch", "amd64"];

/// A time for a schedule, as the service writes it.
pub(crate) fn in_a_day() -> String {
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis();
    Timestamp::from_millis(i64::try_from(now).unwrap()).plus_seconds(24 * 60 * 60).to_rfc3339()
}

/// A folder, and the environment of a user of one service.
pub(crate) struct Shell {
    dir: TempDir,
    url: String,
}

/// A command that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Shell {
    /// A user who has not logged in.
    pub(crate) fn new(url: &str) -> Self {
        Self { dir: tempfile::tempdir().unwrap(), url: url.to_owned() }
    }

    /// The admin `ada`, with the application `notes` and the names in [`SCOPE`].
    pub(crate) fn of_ada(world: &World) -> Self {
        let shell = Self::new(&world.url());
        shell.ok(&["signup", "--username", "ada"]);
        shell.ok(&["app", "create", "notes", "--reports"]);
        shell.ok(&["channel", "create", "stable"]);
        shell.ok(&["platform", "create", "linux"]);
        shell.ok(&["arch", "create", "amd64"]);
        shell
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.path("config")
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    /// Writes programs, each with the text of a shell script. Returns a `PATH` that has them first.
    pub(crate) fn programs(&self, programs: &[(&str, &str)]) -> String {
        for (name, script) in programs {
            let path = self
                .write(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"))
                .path(&format!("bin/{name}"));
            let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            std::fs::set_permissions(path, executable).unwrap();
        }
        format!("{}:/bin:/usr/bin", self.path("bin").display())
    }

    /// Prepares `program` with this user's folder and environment.
    pub(crate) fn start(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .current_dir(self.dir.path())
            .env("SPINDRIFT_URL", &self.url)
            .env("SPINDRIFT_CONFIG_DIR", self.config())
            .env("SPINDRIFT_API_KEY", API_KEY)
            .env("SPINDRIFT_PASSWORD", PASSWORD)
            .env("SPINDRIFT_USER_PASSWORD", PASSWORD)
            .env("SPINDRIFT_KEY_PASSWORD", KEY_PASSWORD)
            .env_remove("SPINDRIFT_TARGETS_KEY")
            .env_remove("SPINDRIFT_TRUST_ROOT")
            .env_remove("SPINDRIFT_KEYS_DIR")
            .env_remove("SPINDRIFT_BUCKET_URL")
            .env_remove("SPINDRIFT_TOKEN")
            .env_remove("SPINDRIFT_ID_TOKEN")
            .env_remove("ACTIONS_ID_TOKEN_REQUEST_URL")
            .env_remove("SPINDRIFT_OWNER")
            .env_remove("SPINDRIFT_APP")
            .env_remove("SPINDRIFT_CHANNEL")
            .env_remove("SPINDRIFT_PLATFORM")
            .env_remove("SPINDRIFT_ARCH")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.start(PROGRAM);
        command.args(arguments);
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        Finished::from(self.command(arguments).output().unwrap())
    }

    /// Runs a command as a CI job with this token does, without a login.
    pub(crate) fn job(&self, token: &str, arguments: &[&str]) -> Finished {
        let mut command = self.command(arguments);
        command.env("SPINDRIFT_TOKEN", token).env("SPINDRIFT_CONFIG_DIR", self.path("job"));
        Finished::from(command.output().unwrap())
    }

    /// Runs a command that must succeed.
    pub(crate) fn ok(&self, arguments: &[&str]) -> Finished {
        let done = self.run(arguments);
        assert_eq!(done.code, Some(0), "{arguments:?}: {done:?}");
        done
    }

    /// The arguments that publish a release of `notes`.
    pub(crate) fn publish<'a>(version: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
        [&["publish", "--version", version], &SCOPE[..], rest].concat()
    }

    /// The answer to an update check for `version` in [`SCOPE`].
    pub(crate) fn check(&self, version: &str) -> Value {
        self.ok(&[&["check", version, "--owner", "ada", "--json"], &SCOPE[..]].concat()).json()
    }
}

impl From<Output> for Finished {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Finished {
    pub(crate) fn json(&self) -> Value {
        let json = serde_json::from_str(&self.stdout);
        assert!(json.is_ok(), "{self:?}");
        json.unwrap()
    }

    /// The last line of standard error, which describes the failure. Checks the exit code, and that standard
    /// output is empty.
    pub(crate) fn error(&self, code: i32) -> &str {
        assert_eq!(self.code, Some(code), "{self:?}");
        assert_eq!(self.stdout, "", "{self:?}");
        let is_error = |line: &&str| line.starts_with("error: ") || line.starts_with("{\"error\":");
        let errors: Vec<&str> = self.stderr.lines().filter(is_error).collect();
        assert_eq!(errors.len(), 1, "{self:?}");
        assert_eq!(self.stderr.lines().last(), errors.first().copied(), "{self:?}");
        errors[0]
    }

    /// Names of the files that this run sent.
    pub(crate) fn sent(&self) -> Vec<&str> {
        let names = self.stderr.lines().filter_map(|line| line.strip_prefix("sent "));
        names.filter_map(|rest| rest.split(' ').next()).collect()
    }
}
