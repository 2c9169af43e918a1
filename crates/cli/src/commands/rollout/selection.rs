//! Which release an action on a rollout is about, and on what conditions.

use clap::Args;
use serde::Serialize;
use spindrift_api::{OfferBody, ReleaseBody};

use crate::context::Context;
use crate::error::CliError;
use crate::releases;
use crate::unknown::unknown;

/// A release, in a channel.
#[derive(Debug, Args)]
pub(crate) struct OfferSelection {
    /// The version.
    pub(super) version: String,
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    pub(super) app: String,
    /// The channel in which the release is offered. Can be left out if there is only one.
    #[arg(long, value_name = "NAME")]
    pub(super) channel: Option<String>,
}

/// An action on a rollout.
#[derive(Debug, Args)]
pub(crate) struct RolloutOrder {
    #[command(flatten)]
    pub(super) selection: OfferSelection,
    /// A reason for the audit log, up to 500 characters.
    #[arg(long, value_name = "TEXT")]
    pub(super) reason: Option<String>,
}

/// An action on a rollout that can require an unchanged release.
#[derive(Debug, Args)]
pub(crate) struct RolloutChange {
    #[command(flatten)]
    pub(super) order: RolloutOrder,
    /// Fail if the release no longer has this revision, which `spindrift rollout show` prints.
    #[arg(long, value_name = "NUMBER")]
    pub(super) if_revision: Option<i64>,
}

impl OfferSelection {
    /// Posts an action on the release, and prints what `text` returns for each offer afterwards.
    /// `call` is the last segment of the path.
    pub(super) async fn change(
        &self,
        context: &Context,
        call: &str,
        body: &impl Serialize,
        text: impl Fn(&ReleaseBody, &OfferBody) -> String,
    ) -> Result<(), CliError> {
        let service = context.authenticated()?;
        let id = releases::find_offers(&service, &self.app, &self.version).await?.id;
        let changed = releases::post_action(&service, &id, call, body).await?;
        let lines = self.offers(&changed)?.into_iter().map(|offer| text(&changed, offer));
        context.output.result(&changed, &lines.collect::<Vec<_>>().join("\n"))
    }

    /// The offers of the release that the arguments select.
    pub(super) fn offers<'a>(&self, release: &'a ReleaseBody) -> Result<Vec<&'a OfferBody>, CliError> {
        let Some(channel) = &self.channel else { return Ok(release.offers.iter().collect()) };
        if let Some(offer) = release.offers.iter().find(|offer| offer.channel == *channel) {
            return Ok(vec![offer]);
        }
        let channels: Vec<&str> = release.offers.iter().map(|offer| offer.channel.as_str()).collect();
        let noun = format!("channel of {} {}", release.app, release.version);
        Err(CliError::NotFound(unknown(&noun, channel, &channels)))
    }
}
