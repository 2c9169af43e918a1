//! `cargo run`: checks that this machine has everything that a build needs, then has Cargo build and run `spindrift-local`.
//!
//! The host takes minutes to compile. This program has no dependencies and compiles in a second, so a missing tool is named
//! before the long build, not after it.

mod targets;

use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// The package that Cargo runs.
const HOST: &str = "spindrift-local";

fn main() -> ExitCode {
    let done = targets::install_missing().and_then(|()| run_host());
    done.unwrap_or_else(|problem| {
        eprintln!("error: {problem}");
        ExitCode::FAILURE
    })
}

/// Builds the host with this program's own profile and runs it with this program's arguments.
fn run_host() -> Result<ExitCode, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(&cargo);
    command.arg("run");
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    command.args(["--package", HOST, "--"]).args(env::args_os().skip(1));
    replace_with(&mut command).map_err(|error| format!("{}: {error}", cargo.display()))
}

/// Lets the command take the place of this process, so that signals reach it.
#[cfg(unix)]
fn replace_with(command: &mut Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

/// Runs the command and passes its exit code on.
#[cfg(not(unix))]
fn replace_with(command: &mut Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
