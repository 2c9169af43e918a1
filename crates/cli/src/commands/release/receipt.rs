//! `release receipt`.

use clap::Args;

use super::selection::ReleaseSelection;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::receipt::{self, Strict};
use crate::releases;

#[derive(Debug, Args)]
pub(crate) struct ReleaseReceiptCommand {
    #[command(flatten)]
    selection: ReleaseSelection,
    /// Only clients of this channel.
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
    #[command(flatten)]
    strict: Strict,
}

impl ReleaseReceiptCommand {
    pub(super) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        let ReleaseSelection { version, app } = &self.selection;
        let service = context.authenticated()?;
        let release = releases::find_offers(&service, app, version).await?;
        let found = receipt::of_release(&service, &release.id, self.channel.as_deref()).await?;
        context.output.result(&found, &receipt::as_text(&found))?;
        Ok(self.strict.outcome(&found))
    }
}
