//! `yank`.

use clap::Args;
use spindrift_api::OfferChangeBody;

use super::force::Force;
use super::release::publish::offer;
use crate::context::Context;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct YankCommand {
    /// Version of the release.
    version: String,
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// Offer the release again, or publish a draft.
    #[arg(long)]
    undo: bool,
    /// A reason for the audit log, up to 500 characters.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    #[command(flatten)]
    force: Force,
}

impl YankCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let Self { version, app, undo, reason, force } = self;
        let change = OfferChangeBody { publish: Some(undo), reason, ..OfferChangeBody::default() };
        let call = async |force| {
            let change = OfferChangeBody { force, ..change.clone() };
            offer(context, &app, &version, change).await
        };
        force.confirm_or_force(&version, call).await
    }
}
