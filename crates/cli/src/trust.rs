//! `trust`: signed update metadata.

mod commands;
#[cfg_attr(
    not(test),
    expect(dead_code, unused_imports, reason = "what signs is used by the commands that sign")
)]
mod key;
#[cfg_attr(not(test), expect(dead_code, unused_imports, reason = "used by the commands that sign"))]
mod plan;
#[cfg(test)]
mod test_world;
#[cfg_attr(not(test), expect(dead_code, unused_imports, reason = "used by the commands that sign"))]
mod view;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Trust {
    /// Make a key, or show the public part of one.
    #[command(subcommand)]
    Key(commands::key::Key),
}

impl Trust {
    /// Runs the command.
    pub(crate) fn run(self, context: &Context) -> Result<Outcome, CliError> {
        match self {
            Self::Key(command) => command.run(context)?,
        }
        Ok(Outcome::Done)
    }
}
