//! `import`: copies everything from another server into this service.

mod faynosync;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CliError;

/// The servers that can be read.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Read a faynoSync 2 server over its HTTP interface, and create the same here.
    Faynosync(Box<faynosync::FaynoSyncCommand>),
}

impl ImportCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Faynosync(args) => args.run(context).await,
        }
    }
}
