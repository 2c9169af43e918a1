//! The commands.

use std::process::ExitCode;

use clap::Subcommand;
use spindrift_http::log_line;

use crate::backup::BackupCommand;
use crate::demo::DemoCommand;
use crate::error::LocalError;
use crate::health::HealthCommand;
use crate::restore::RestoreCommand;
use crate::up::UpCommand;

/// The commands that run the service on this machine. `spindrift` has them beside those that call a service.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the service and an object storage on this machine, until interrupted.
    Up(Box<UpCommand>),
    /// Check that the service on this machine has its stores. The exit code is 0 if it has.
    Health(HealthCommand),
    /// Publish, check and download once, on temporary state and free ports, and exit.
    Demo(DemoCommand),
    /// Back up the service of this machine: its database, objects and secrets. It may keep running.
    Backup(BackupCommand),
    /// Restore a backup into an empty state folder.
    Restore(RestoreCommand),
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

/// Runs a command as the whole program: on a runtime of its own, with any error as the last line of the log.
/// For programs that offer only these commands.
pub fn run(command: Command) -> ExitCode {
    let done = tokio::runtime::Runtime::new().map_err(|error| error.to_string());
    let done = done.and_then(|runtime| runtime.block_on(command.run()).map_err(|error| error.to_string()));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log_line(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}
