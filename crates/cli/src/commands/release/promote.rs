//! `release promote|demote`.

use clap::Args;
use spindrift_api::{OfferChangeBody, ReleaseBody};

use super::publish::{PublicationOptions, offer_in_channel};
use super::selection::ReleaseSelection;
use crate::commands::force::{self, Force};
use crate::commands::rollout::{guard_sentence, state_text};
use crate::context::Context;
use crate::error::CliError;
use crate::releases;

#[derive(Debug, Args)]
pub(crate) struct ReleasePromoteCommand {
    #[command(flatten)]
    selection: ReleaseSelection,
    /// The channel in which to offer it too.
    #[arg(long = "to", value_name = "CHANNEL")]
    channel: String,
    /// Do not publish it there yet. `spindrift release publish --channel` does that.
    #[arg(long, conflicts_with = "at")]
    draft: bool,
    #[command(flatten)]
    options: PublicationOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseDemoteCommand {
    #[command(flatten)]
    selection: ReleaseSelection,
    /// The channel in which to stop offering it.
    #[arg(long = "from", value_name = "CHANNEL")]
    channel: String,
    #[command(flatten)]
    force: Force,
}

impl ReleasePromoteCommand {
    pub(super) async fn run(self, context: &Context) -> Result<(), CliError> {
        let ReleaseSelection { version, app } = &self.selection;
        self.options.require(context, app).await?;
        let service = context.authenticated()?;
        let release = releases::find_offers(&service, app, version).await?;
        let promoted = releases::post_action(&service, &release.id, "promote", &self.change()).await?;
        context.output.result(&promoted, &as_text(&promoted, &self.channel))
    }

    fn change(&self) -> OfferChangeBody {
        let change = OfferChangeBody { channel: Some(self.channel.clone()), ..self.options.change() };
        OfferChangeBody { publish: change.publish.filter(|_| !self.draft), ..change }
    }
}

fn as_text(release: &ReleaseBody, channel: &str) -> String {
    let name = format!("{} {} in {channel}", release.app, release.version);
    match offer_in_channel(release, Some(channel)) {
        Some(offer) if offer.state == "draft" => format!("{name} is a draft"),
        Some(offer) => {
            let guard = offer
                .guard
                .as_ref()
                .map(|_| format!("\n{}", guard_sentence(release, offer)))
                .unwrap_or_default();
            format!("{name}: {}{guard}", state_text(release, offer, None))
        }
        None => format!("{name} is changed"),
    }
}

impl ReleaseDemoteCommand {
    pub(super) async fn run(self, context: &Context) -> Result<(), CliError> {
        let Self { selection: ReleaseSelection { version, app }, channel, force } = self;
        let service = context.authenticated()?;
        let release = releases::find_offers(&service, &app, &version).await?;
        let path = format!("/releases/{}/offer", release.id);
        let call = async |is_forced| {
            let path = force::path(&path, is_forced);
            service.remove::<ReleaseBody>(&path, &[("channel", &channel)]).await
        };
        let after = force.confirm_or_force(&version, call).await?;
        let text = format!("{app} {} is no longer offered in {channel}", after.version);
        context.output.result(&after, &text)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use serde_json::{Value, json};

    use super::*;
    use crate::args::{Arguments, Command};
    use crate::commands::release::ReleaseCommand;

    fn change(words: &str) -> Result<Value, String> {
        let words = format!("spindrift release promote 2.0 --app notes{words}");
        match Arguments::try_parse_from(words.split(' ')).map_err(|error| error.to_string())?.command {
            Command::Release(ReleaseCommand::Promote(promote)) => Ok(json!(promote.change())),
            _ => panic!("another command: {words}"),
        }
    }

    #[test]
    fn it_is_published_unless_it_is_a_draft() {
        let published = json!({ "channel": "stable", "publish": true, "rollout": 10 });
        assert_eq!(change(" --to stable --rollout 10"), Ok(published));
        assert_eq!(change(" --to stable --draft"), Ok(json!({ "channel": "stable" })));
        let at = "2026-12-01T08:00:00Z";
        let scheduled = json!({ "channel": "stable", "publish_at": "2026-12-01T08:00:00+00:00" });
        assert_eq!(change(&format!(" --to stable --at {at}")), Ok(scheduled));
        for (words, error) in [("", "--to"), (" --to stable --draft --at 2026-12-01T08:00:00Z", "--at")] {
            assert!(change(words).unwrap_err().contains(error), "{words}");
        }
    }

    #[test]
    fn the_new_offer_is_told() {
        let rollout = json!({ "state": "complete", "percent": 100, "seed": "s" });
        let offer = |state: &str| json!({ "channel": "stable", "own": false, "state": state, "revision": 1, "rollout": rollout });
        let release = |state: &str| {
            let release = json!({ "id": "r", "app": "notes", "version": "2.0", "shut_off": false, "offers": [offer(state)] });
            serde_json::from_value::<ReleaseBody>(release).unwrap()
        };
        assert_eq!(as_text(&release("draft"), "stable"), "notes 2.0 in stable is a draft");
        let text = "notes 2.0 in stable: notes 2.0 is offered to all devices";
        assert_eq!(as_text(&release("published"), "stable"), text);
    }
}
