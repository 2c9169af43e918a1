//! The commands, and the program of a checkout.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use embedded_host::log_line;

use crate::backup::Backup;
use crate::bundle::Bundle;
use crate::demo::Demo;
use crate::error::LocalError;
use crate::health::Health;
use crate::restore::Restore;
use crate::up::Up;

/// The commands that run the service on this machine. `spindrift` has them beside those that call a service.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the service and an object storage on this machine, until interrupted.
    Up(Box<Up>),
    /// Ask the service on this machine whether it has its stores. The exit code is 0 if it has.
    Health(Health),
    /// Publish, check and download once, on temporary state and free ports, and exit.
    Demo(Demo),
    /// Back up the service of this machine: its database, objects and secrets. It may run meanwhile.
    Backup(Backup),
    /// Restore a backup into an empty state folder.
    Restore(Restore),
}

impl Command {
    /// Runs the command. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// The service could not be started, or the demo, the backup or the restore failed.
    pub async fn run(self) -> Result<(), LocalError> {
        match self {
            Self::Up(up) => up.run().await,
            Self::Health(health) => health.run().await,
            Self::Demo(demo) => demo.run().await,
            Self::Backup(backup) => backup.run(),
            Self::Restore(restore) => restore.run(),
        }
    }
}

/// Run the service of this checkout, and an S3 object storage, in one process.
#[derive(Debug, Parser)]
#[command(name = "spindrift-local", version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Checkout>,
    #[command(flatten)]
    up: Up,
}

#[derive(Debug, Subcommand)]
enum Checkout {
    #[command(flatten)]
    Command(Command),
    /// Write the application, built and compiled, into one file, for `up --from` and for the program `spindrift`.
    Bundle(Bundle),
}

/// The whole program, for `main` functions: parses the process's arguments, runs the command and returns its exit code.
/// Without a command it is `up`.
pub fn main_from_args() -> ExitCode {
    let arguments = Arguments::parse();
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            log_line(&format!("error: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let done = runtime.block_on(async {
        match arguments.command {
            Some(Checkout::Command(command)) => command.run().await,
            Some(Checkout::Bundle(bundle)) => bundle.run(),
            None => arguments.up.run().await,
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log_line(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}
