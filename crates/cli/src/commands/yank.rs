//! `yank`.

use clap::Args;

use crate::context::Context;
use crate::error::CliError;
use crate::releases;

/// Arguments of `yank`.
#[derive(Debug, Args)]
pub(crate) struct Yank {
    /// Version of the release.
    version: String,
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// Offer the release again, or publish a draft.
    #[arg(long)]
    undo: bool,
}

impl Yank {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        releases::offer(context, &self.app, &self.version, self.undo).await
    }
}
