//! Every command of `docs/getting-started.md`, in its order, in a folder of its own, compared with the output on the
//! page.
//!
//! The commands run as they are written, except for the ports. In place of `cargo` they find a script that runs the program
//! as the workspace has built it.
#![cfg(unix)]

use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use spindrift_tests::{PASSWORD, free_address, until, workspace};
use tempfile::TempDir;

const PAGE: &str = "docs/getting-started.md";
/// A program beside which the workspace builds `spindrift`.
const NEIGHBOUR: &str = env!("CARGO_BIN_EXE_host-under-test");
/// The addresses on the page: of the service, and of its storage.
const ADDRESSES: [&str; 2] = ["127.0.0.1:3000", "127.0.0.1:9000"];
/// The command that runs until it is interrupted.
const SERVE: &str = "cargo run -- up";
/// Time limit for the service to say that it serves.
const START_LIMIT: Duration = Duration::from_mins(1);

/// A fenced block of the page.
struct Block {
    language: String,
    text: String,
}

/// The reader: a folder, and two terminals in it.
struct Reader {
    dir: TempDir,
    addresses: [String; 2],
    /// The process in the first terminal.
    serving: Option<Child>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(child) = &mut self.serving {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The blocks of the page with these addresses in place of its own.
fn blocks(addresses: &[String; 2]) -> Vec<Block> {
    let mut text = std::fs::read_to_string(workspace().join(PAGE)).unwrap();
    for (written, used) in ADDRESSES.iter().zip(addresses) {
        text = text.replace(written, used);
    }
    let block = |fenced: &str| {
        let (language, text) = fenced.split_once('\n').unwrap();
        Block { language: language.to_owned(), text: text.to_owned() }
    };
    text.split("```").skip(1).step_by(2).map(block).collect()
}

/// The program as the workspace has built it.
fn program() -> PathBuf {
    let program = Path::new(NEIGHBOUR).with_file_name("spindrift");
    assert!(program.exists(), "build it first: cargo build");
    program
}

impl Reader {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let addresses = [free_address(), free_address()];
        let cargo = format!(
            "#!/bin/sh\nset -eu\ncase \"$*\" in\n\
             'run -- up') mkdir -p target/debug && ln -s '{program}' target/debug/spindrift &&\n\
             exec target/debug/spindrift up --listen {} --storage-listen {} ;;\n\
             *) echo \"the test does not know cargo $*\" >&2; exit 1 ;;\nesac\n",
            addresses[0],
            addresses[1],
            program = program().display(),
        );
        let script = dir.path().join("bin/cargo");
        std::fs::create_dir(dir.path().join("bin")).unwrap();
        std::fs::write(&script, cargo).unwrap();
        std::fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
        Self { dir, addresses, serving: None }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A shell in the folder. The next blocks have the variables that one exports.
    fn shell(&self, commands: &str) -> Command {
        let mut shell = Command::new("bash");
        let paths = std::env::var_os("PATH").unwrap();
        let paths = [self.path("bin")].into_iter().chain(std::env::split_paths(&paths));
        shell
            .args(["-euo", "pipefail", "-c", commands])
            .current_dir(self.dir.path())
            .env_clear()
            .env("PATH", std::env::join_paths(paths).unwrap())
            .env("HOME", self.dir.path())
            // The reader types this where the page says so.
            .env("SPINDRIFT_PASSWORD", PASSWORD)
            .stdin(Stdio::null());
        shell
    }

    /// Starts the service in the first terminal, and waits until it has printed its console's address. Returns its
    /// output.
    fn serve(&mut self, commands: &str) -> String {
        let output = self.path("first-terminal");
        // Without a shell in between, which would be killed in its place.
        let mut shell = self.shell(&format!("exec {commands}"));
        let child = shell.stdout(File::create(&output).unwrap()).spawn().unwrap();
        self.serving = Some(child);
        let told = format!("{}/console/signup", self.addresses[0]);
        until("the service starts", START_LIMIT, || {
            let ended = self.serving.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "{ended:?}: {}", std::fs::read_to_string(&output).unwrap());
            // The line is written as a whole.
            Some(std::fs::read_to_string(&output).unwrap())
                .filter(|printed| printed.contains(&told) && printed.ends_with('\n'))
        })
    }

    /// Runs a block in the second terminal, with the exports of the blocks before it. Returns its output.
    fn run(&self, commands: &str) -> String {
        let exported = self.path("exported");
        let exported = exported.display();
        let all = format!("[ ! -e '{exported}' ] || . '{exported}'\n{commands}\nexport -p > '{exported}'\n");
        let done = self.shell(&all).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(done.status.success(), "{commands}\n{}{}", text(&done.stdout), text(&done.stderr));
        text(&done.stdout)
    }
}

#[test]
fn every_command_works_in_its_order() {
    let mut reader = Reader::new();
    let mut printed = String::new();
    let mut compared = 0;
    for Block { language, text } in blocks(&reader.addresses.clone()) {
        match language.as_str() {
            "bash" if text.trim() == SERVE => printed = reader.serve(text.trim()),
            "bash" => printed = reader.run(&text),
            "text" => {
                let before = &printed;
                for line in text.lines() {
                    assert!(before.lines().any(|found| found == line), "{line:?} is not in {before}");
                    compared += 1;
                }
            }
            other => panic!("a block in {other}, which nobody runs"),
        }
    }
    assert!(reader.serving.is_some(), "the page starts the service");
    assert!(compared > 0, "the page says what a client sees");
}
