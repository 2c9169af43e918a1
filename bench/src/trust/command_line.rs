//! The command line of a publisher.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use spindrift_tests::{API_KEY, PASSWORD};
use tempfile::TempDir;

/// The user.
const OWNER: &str = "bench";
const FILE: &str = "notes.deb";

/// A user's program, folder, and addresses.
pub(crate) struct CommandLine {
    program: PathBuf,
    folder: TempDir,
    url: String,
    /// The bucket to read metadata from. `None`: it is read at the service.
    bucket: Option<String>,
    token: Option<String>,
}

impl CommandLine {
    /// Signs up a user of a service, with two applications that require digests: `signed` has a repository,
    /// `plain` none.
    pub(crate) fn sign_up(url: &str) -> anyhow::Result<Self> {
        let program =
            std::env::current_exe()?.with_file_name(format!("spindrift{}", std::env::consts::EXE_SUFFIX));
        ensure!(
            program.is_file(),
            "{} is missing: build it with `cargo build --release -p spindrift-cli`",
            program.display()
        );
        let (folder, url) = (tempfile::tempdir()?, url.to_owned());
        let mut this = Self { program, folder, url, bucket: None, token: None };
        this.run(&["signup", "--username", OWNER])?;
        for app in ["signed", "plain"] {
            this.run(&["app", "create", app, "--tuf"])?;
        }
        for what in [["channel", "stable"], ["platform", "linux"], ["arch", "amd64"]] {
            this.run(&[what[0], "create", what[1]])?;
        }
        this.run(&["trust", "init", "--app", "signed", "--no-passphrase"])?;
        let token = this.run(&["token", "create", "ci", "--app", "signed", "--app", "plain"])?;
        this.token = Some(token.trim().to_owned());
        Ok(this)
    }

    /// The same user as a CI job that reaches service and bucket at these addresses.
    pub(crate) fn through(self, url: &str, bucket: &str) -> Self {
        Self { url: url.to_owned(), bucket: Some(bucket.to_owned()), ..self }
    }

    /// Publishes one file with a token of CI. Returns how long the command ran.
    pub(crate) fn publish(&self, app: &str, version: &str) -> anyhow::Result<Duration> {
        std::fs::write(self.folder.path().join(FILE), format!("{app} {version}"))?;
        let scope = ["--channel", "stable", "--platform", "linux", "--arch", "amd64"];
        let what = ["publish", "--publish", "--tuf", "--app", app, "--version", version, FILE];
        let start = Instant::now();
        self.run(&[&what[..], &scope[..]].concat())?;
        Ok(start.elapsed())
    }

    fn run(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("SPINDRIFT_URL", &self.url)
            .env("SPINDRIFT_CONFIG_DIR", self.folder.path().join("config"))
            .env("SPINDRIFT_KEYS_DIR", self.folder.path().join("keys"))
            .env("SPINDRIFT_API_KEY", API_KEY)
            .env("SPINDRIFT_PASSWORD", PASSWORD)
            .stdin(Stdio::null());
        for name in ["SPINDRIFT_TARGETS_KEY", "SPINDRIFT_TRUST_ROOT", "SPINDRIFT_APP"] {
            command.env_remove(name);
        }
        for (name, value) in [("SPINDRIFT_BUCKET_URL", &self.bucket), ("SPINDRIFT_TOKEN", &self.token)] {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let done = command.output().context("the program runs")?;
        ensure!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        Ok(String::from_utf8(done.stdout)?)
    }
}
