//! `up` and `demo`, which run the program of the host.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;

use crate::error::CliError;

/// Environment variable with the path of the host's program.
const VARIABLE: &str = "SPINDRIFT_HOST_BIN";

/// The arguments for the host.
#[derive(Debug, Args)]
pub(crate) struct HandOver {
    /// Arguments for spindrift-host, after `--`; see `spindrift-host up --help`.
    #[arg(last = true, value_name = "ARGUMENTS")]
    arguments: Vec<std::ffi::OsString>,
}

/// Runs the host in place of this program.
pub(crate) fn run(command: &str, given: &HandOver) -> Result<(), CliError> {
    let program = find()?;
    let mut host = Command::new(&program);
    host.arg(command).args(&given.arguments);
    become_it(host, &program)
}

/// Replaces this process, so that signals reach the host.
#[cfg(unix)]
fn become_it(mut host: Command, program: &Path) -> Result<(), CliError> {
    use std::os::unix::process::CommandExt as _;
    Err(CliError::file(program)(host.exec()))
}

#[cfg(not(unix))]
fn become_it(mut host: Command, program: &Path) -> Result<(), CliError> {
    let status = host.status().map_err(CliError::file(program))?;
    if status.success() {
        Ok(())
    } else {
        Err(CliError::Other(format!("{} ended with {status}", program.display())))
    }
}

/// The path from the environment variable, or the program next to this one, or in the PATH.
fn find() -> Result<PathBuf, CliError> {
    if let Some(given) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        let path = PathBuf::from(given);
        let missing = || CliError::usage(format!("{VARIABLE} names {}, which is not a file", path.display()));
        return path.is_file().then(|| path.clone()).ok_or_else(missing);
    }
    let name = format!("spindrift-host{}", env::consts::EXE_SUFFIX);
    let beside = env::current_exe().ok().and_then(|program| Some(program.parent()?.join(&name)));
    let in_path = env::var_os("PATH");
    let in_path = in_path.iter().flat_map(env::split_paths).map(|folder| folder.join(&name));
    beside.into_iter().chain(in_path).find(|path| path.is_file()).ok_or_else(|| {
        CliError::NotFound(format!(
            "{name} is neither beside this program nor in PATH: build it with `cargo build --release -p spindrift-host`, or set {VARIABLE}"
        ))
    })
}
