//! The program of one machine as a child process.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::manifest::Variables;

/// The program and its arguments.
pub(crate) struct Launch<'a> {
    /// The program: any that has the command `up`.
    pub(crate) program: &'a Path,
    pub(crate) state_dir: &'a Path,
    pub(crate) variables: &'a Variables,
    /// Address of the application; port 0 is a free one.
    pub(crate) listen: &'a str,
    /// Address of its storage. `None`: it has none.
    pub(crate) storage_listen: Option<&'a str>,
    /// The file to which its log is appended. `None`: it is lost.
    pub(crate) log: Option<&'a Path>,
}

/// A running host. Dropping it kills the process.
pub(crate) struct HostChild {
    child: Child,
    // Kept open while the process runs, because writing to a closed pipe would end it.
    stdout: BufReader<ChildStdout>,
    url: String,
}

impl HostChild {
    /// Starts the program. It has announced its address, so that connections are taken.
    pub(crate) fn start(launch: &Launch<'_>) -> Self {
        let mut command = Command::new(launch.program);
        // Without the timer, which would work for itself while something is measured.
        command.args(["up", "--timer-minutes", "0", "--listen", launch.listen]);
        command.arg("--state-dir").arg(launch.state_dir);
        match launch.storage_listen {
            Some(address) => command.args(["--storage-listen", address]),
            None => command.arg("--no-storage"),
        };
        command.args(launch.variables.iter().map(|(name, value)| format!("--variable={name}={value}")));
        let log = launch.log.map_or_else(Stdio::null, |path| {
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            file.expect("a log file").into()
        });
        Self::of(command.stderr(log))
    }

    /// Starts a command that prints `Serving` and its address.
    pub(crate) fn of(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the host starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let url = announced(&mut stdout, "Serving ");
        Self { child, stdout, url }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The URL of its storage, which it announces last.
    pub(crate) fn storage_url(&mut self) -> String {
        announced(&mut self.stdout, "Storage ")
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text that the process prints after `word`.
fn announced(stdout: &mut BufReader<ChildStdout>, word: &str) -> String {
    let mut lines = stdout.lines().map_while(Result::ok);
    let found = lines.find_map(|line| line.strip_prefix(word).map(str::to_owned));
    found.unwrap_or_else(|| panic!("the host ended without saying `{word}`"))
}

impl Drop for HostChild {
    fn drop(&mut self) {
        self.kill();
    }
}
