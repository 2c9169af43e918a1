//! The program to measure.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::files::{FILES, file_name};

/// Interval for reading the memory use of a running process.
const LOOK: Duration = Duration::from_millis(10);

/// The command line of a user.
pub(crate) struct Spindrift {
    program: PathBuf,
    folder: PathBuf,
    flags: Vec<String>,
    pub(crate) url: String,
}

/// The result of one run.
pub(crate) struct PublishRun {
    pub(crate) time: Duration,
    /// Seconds before the first byte was sent.
    pub(crate) hashing: f64,
    /// `None` if the system does not report it.
    pub(crate) peak_memory_kib: Option<u64>,
    pub(crate) resumed: bool,
    /// Number of files that this run sent.
    pub(crate) sent: usize,
}

impl Spindrift {
    /// Signs up a new admin, and creates an application.
    pub(crate) fn sign_up(url: &str, folder: &Path, flags: Vec<String>) -> Self {
        let this_program = std::env::current_exe().expect("this program's path");
        let program = this_program.with_file_name(format!("spindrift{}", std::env::consts::EXE_SUFFIX));
        assert!(program.is_file(), "{} is missing: build it as well", program.display());
        let this = Self { program, folder: folder.to_owned(), flags, url: url.to_owned() };
        this.run(&["signup", "--username", &format!("speed-{}", std::process::id())]);
        this.run(&["app", "create", "speed"]);
        this.run(&["channel", "create", "stable"]);
        this.run(&["platform", "create", "any"]);
        this.run(&["arch", "create", "any"]);
        this
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .env("SPINDRIFT_URL", &self.url)
            .env("SPINDRIFT_PASSWORD", "correct horse battery")
            .env("SPINDRIFT_CONFIG_DIR", self.folder.join("config"))
            .env_remove("SPINDRIFT_TOKEN")
            .current_dir(&self.folder)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) {
        let output = self.command(arguments).output().expect("the program runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// The token from the login.
    pub(crate) fn token(&self) -> String {
        let text = std::fs::read(self.folder.join("config/credentials.json")).expect("a login");
        let credentials: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        credentials["services"][&self.url]["token"].as_str().expect("a token").to_owned()
    }

    fn start(&self, version: &str) -> Child {
        let names: Vec<String> = (0..FILES).map(file_name).collect();
        let mut command = self.command(&["publish", "--json", "--app", "speed", "--version", version]);
        command
            .args(["--channel", "stable", "--platform", "any", "--arch", "any"])
            .args(&self.flags)
            .args(names);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs")
    }

    pub(crate) fn publish(&self, version: &str) -> PublishRun {
        let start = Instant::now();
        let mut child = self.start(version);
        let mut peak_memory_kib = None;
        let status = loop {
            peak_memory_kib = peak_memory(child.id()).or(peak_memory_kib);
            if let Some(status) = child.try_wait().expect("a status") {
                break status;
            }
            std::thread::sleep(LOOK);
        };
        let time = start.elapsed();
        let output = child.wait_with_output().expect("its output");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(status.success(), "{message}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        PublishRun {
            time,
            hashing: report["seconds"]["hashing"].as_f64().expect("seconds"),
            peak_memory_kib,
            resumed: report["resumed"] == true,
            sent: message.lines().filter(|line| line.starts_with("sent ")).count(),
        }
    }

    /// Publishes, and kills the process as soon as one file is sent. Returns the number of files sent.
    pub(crate) fn publish_and_kill(&self, version: &str) -> usize {
        let mut child = self.start(version);
        let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let first = lines.map_while(Result::ok).find(|line| line.starts_with("sent "));
        child.kill().expect("it can be killed");
        // The status only says that the process was killed.
        let _ = child.wait();
        usize::from(first.is_some())
    }
}

/// `VmHWM` of a process, in KiB.
fn peak_memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
