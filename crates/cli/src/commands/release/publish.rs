//! `release publish`, and what it shares with `yank`.

use clap::Args;
use serde::Serialize;
use serde_json::json;
use spindrift_api::{
    GuardActionName, GuardBody, OfferBody, OfferChangeBody, Percentage, ReceiptBody, ReleaseBody,
};
use spindrift_core::{Plan, Timestamp};

use super::selection::ReleaseSelection;
use crate::commands::rollout::{guard_sentence, state_text};
use crate::commands::values::{guard_step, time};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::groups;
use crate::receipt::{self, Strict};
use crate::releases;
use crate::service::Service;

#[derive(Debug, Args)]
pub(crate) struct ReleasePublishCommand {
    #[command(flatten)]
    selection: ReleaseSelection,
    /// The channel in which to publish it. Can be left out unless it was promoted to others.
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
    #[command(flatten)]
    options: PublicationOptions,
    #[command(flatten)]
    strict: Strict,
}

/// From when on clients see a release, and how its rollout begins.
#[derive(Debug, Args)]
pub(super) struct PublicationOptions {
    /// Publish the release at this time, like `2026-12-01T09:00:00+01:00`, at most 366 days ahead. A past
    /// time means now.
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<Timestamp>,
    /// Plan of the rollout in place of what the draft has: percentages that rise to 100, each with the time
    /// that it lasts. It begins when the release is published. `1:1d,100 @ Mon-Thu 09:00-16:00 +01:00`
    /// begins later steps only in these hours.
    #[arg(long, value_name = "STEPS", conflicts_with = "rollout")]
    plan: Option<Plan>,
    /// Percentage of devices in place of what the draft has, with up to two decimals.
    #[arg(long, value_name = "PERCENT")]
    rollout: Option<Percentage>,
    /// Let a guard run stop the release if it turns out to be unhealthy: `pause` its plan, or `halt` its
    /// rollout. It replaces the guard that the draft has.
    #[arg(long, value_name = "STEP", value_parser = guard_step())]
    guard: Option<GuardActionName>,
    /// Group of devices that the release admits in addition to its rollout. Repeat the option for
    /// each group; they replace the groups of the draft.
    #[arg(long = "group", value_name = "NAME")]
    groups: Vec<String>,
    /// A reason for the audit log, up to 500 characters.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

impl ReleasePublishCommand {
    pub(super) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        let ReleaseSelection { version, app } = &self.selection;
        self.options.require(context, app).await?;
        if self.strict.is_on() {
            let service = context.authenticated()?;
            let release = releases::find_offers(&service, app, version).await?;
            let found = receipt::of_release(&service, &release.id, self.channel.as_deref()).await?;
            if receipt::has_gaps(&found) {
                context.output.result(&found, &receipt::as_text(&found))?;
                return Ok(Outcome::Gaps);
            }
        }
        offer(context, app, version, self.change()).await.map(|()| Outcome::Done)
    }

    fn change(&self) -> OfferChangeBody {
        OfferChangeBody { channel: self.channel.clone(), ..self.options.change() }
    }
}

impl PublicationOptions {
    /// Fails unless the application has the groups.
    pub(super) async fn require(&self, context: &Context, app: &str) -> Result<(), CliError> {
        if self.groups.is_empty() {
            return Ok(());
        }
        groups::require(&context.authenticated()?, app, &self.groups).await
    }

    pub(super) fn change(&self) -> OfferChangeBody {
        OfferChangeBody {
            publish: self.at.is_none().then_some(true),
            publish_at: self.at.map(|at| Some(at.to_rfc3339())),
            plan: self.plan.as_ref().map(Plan::to_json),
            rollout: self.rollout.map(|percent| percent.0.to_json()),
            groups: (!self.groups.is_empty()).then(|| json!(self.groups)),
            guard: self.guard.map(|step| Some(json!(GuardBody::new(step)))),
            reason: self.reason.clone(),
            ..OfferChangeBody::default()
        }
    }
}

/// A release as `--json` shows it.
#[derive(Serialize)]
struct ChangedRelease<'a> {
    #[serde(flatten)]
    release: &'a ReleaseBody,
    /// Whether clients see it now.
    published: bool,
    /// The clients that get it. `None`: it could not be fetched, or the release is no longer
    /// offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<ReceiptBody>,
}

/// Publishes, schedules or unpublishes a release.
pub(in crate::commands) async fn offer(
    context: &Context,
    app: &str,
    version: &str,
    change: OfferChangeBody,
) -> Result<(), CliError> {
    let service = context.authenticated()?;
    let (before, release) = change_offer(&service, app, version, &change).await?;
    let offer = offer_in_channel(&release, change.channel.as_deref());
    let published = offer.is_some_and(|offer| offer.state == "published");
    let guard = offer.filter(|_| change.guard.is_some());
    let guard = guard.map(|offer| format!("\n{}", guard_sentence(&release, offer))).unwrap_or_default();
    let text = format!("{}{guard}", as_text(&before, &release, change.channel.as_deref()));
    let receipt = match change.publish {
        Some(false) => None,
        _ => receipt::after_change(context, &service, &release.id, change.channel.as_deref()).await,
    };
    let shown = receipt.as_ref().map(|receipt| format!("\n\n{}", receipt::as_text(receipt)));
    let text = format!("{text}{}", shown.unwrap_or_default());
    context.output.result(&ChangedRelease { release: &release, published, receipt }, &text)
}

/// The release before and after the change. It is not published if somebody else changes it in
/// between. Without a channel, a promoted release is unpublished in all channels.
async fn change_offer(
    service: &Service,
    app: &str,
    version: &str,
    change: &OfferChangeBody,
) -> Result<(ReleaseBody, ReleaseBody), CliError> {
    let before = releases::find_offers(service, app, version).await?;
    let is_stop = change.publish == Some(false);
    if is_stop && change.channel.is_none() && before.offers.len() > 1 {
        let mut after = before.clone();
        for offer in before.offers.iter().filter(|offer| offer.state != "draft") {
            let change = OfferChangeBody { channel: Some(offer.channel.clone()), ..change.clone() };
            after = releases::post_action(service, &before.id, "offer", &change).await?;
        }
        return Ok((before, after));
    }
    let present = offer_in_channel(&before, change.channel.as_deref());
    let if_revision = present.map(|offer| offer.revision).filter(|_| !is_stop);
    let change = OfferChangeBody { if_revision, ..change.clone() };
    let after = releases::post_action(service, &before.id, "offer", &change).await?;
    Ok((before, after))
}

/// The offer in the channel that the release was uploaded to.
pub(super) fn own_offer(release: &ReleaseBody) -> Option<&OfferBody> {
    release.offers.iter().find(|offer| offer.own)
}

/// The offer in a channel, by default the one that the release was uploaded to.
pub(super) fn offer_in_channel<'a>(release: &'a ReleaseBody, channel: Option<&str>) -> Option<&'a OfferBody> {
    match channel {
        Some(channel) => release.offers.iter().find(|offer| offer.channel == channel),
        None => own_offer(release),
    }
}

/// Describes the state after the change.
fn as_text(before: &ReleaseBody, release: &ReleaseBody, channel: Option<&str>) -> String {
    let name = format!("{} {}", release.app, release.version);
    let Some(offer) = offer_in_channel(release, channel) else { return format!("{name} is changed") };
    match (offer_in_channel(before, channel).map(|offer| offer.state.as_str()), offer.state.as_str()) {
        (Some("published"), "draft") => format!("{name} is no longer offered"),
        (Some("scheduled"), "draft") => format!("{name} is a draft again, without a time"),
        (_, "draft") => format!("{name} is a draft"),
        _ => state_text(release, offer, None),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Arguments, Command};
    use crate::commands::release::ReleaseCommand;

    fn release(state: &str, rest: &serde_json::Value) -> ReleaseBody {
        let rollout = json!({ "state": "complete", "percent": 100, "seed": "s" });
        let mut offer = json!({ "channel": "stable", "own": true, "state": state, "revision": 3 });
        offer["rollout"] = rollout;
        offer.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        let release =
            json!({ "id": "r", "app": "notes", "version": "2.0", "shut_off": false, "offers": [offer] });
        serde_json::from_value(release).unwrap()
    }

    #[test]
    fn the_new_state_is_told() {
        let at = json!({ "publish_at": "2026-12-01T08:00:00+00:00" });
        let nothing = json!({});
        let rollout = json!({ "state": "fixed", "percent": 0, "seed": "s" });
        let groups = json!({ "groups": ["qa", "beta"], "rollout": rollout });
        for (before, after, rest, message) in [
            ("draft", "published", &nothing, "notes 2.0 is offered to all devices"),
            ("draft", "published", &groups, "notes 2.0 is offered only to the groups qa, beta"),
            (
                "draft",
                "scheduled",
                &at,
                "notes 2.0 will be offered to all devices from 2026-12-01 08:00 UTC on",
            ),
            ("scheduled", "draft", &nothing, "notes 2.0 is a draft again, without a time"),
            ("published", "draft", &nothing, "notes 2.0 is no longer offered"),
            ("draft", "draft", &nothing, "notes 2.0 is a draft"),
            ("withdrawn", "withdrawn", &nothing, "notes 2.0 is withdrawn: no client is offered it"),
        ] {
            assert_eq!(as_text(&release(before, &at), &release(after, rest), None), message);
        }
        let mut shut_off = release("published", &nothing);
        shut_off.shut_off = true;
        assert_eq!(
            as_text(&release("draft", &nothing), &shut_off, None),
            "notes 2.0 is offered to all devices\nupdates are shut off: `spindrift shutoff list` shows for \
             which clients"
        );
    }

    fn change(words: &str) -> OfferChangeBody {
        let words = format!("spindrift release publish 2.0 --app notes{words}");
        match Arguments::try_parse_from(words.split(' ')).unwrap().command {
            Command::Release(ReleaseCommand::Publish(publish)) => publish.change(),
            _ => panic!("another command: {words}"),
        }
    }

    #[test]
    fn flags_are_one_change() {
        let change = |words: &str| json!(change(words));
        assert_eq!(change(""), json!({ "publish": true }));
        let plan = json!([{ "percent": 1, "for": "12h" }, { "percent": 100 }]);
        assert_eq!(
            change(" --plan 1:12h,100 --guard pause --reason built"),
            json!({ "publish": true, "plan": plan, "guard": { "on_unhealthy": "pause" }, "reason": "built" })
        );
        assert_eq!(
            change(" --at 2026-12-01T08:00:00Z --rollout 0.5 --guard halt"),
            json!({
                "publish_at": "2026-12-01T08:00:00+00:00", "rollout": 0.5, "guard": { "on_unhealthy": "halt" },
            })
        );
        assert_eq!(
            change(" --rollout 0 --group qa --group beta"),
            json!({ "publish": true, "rollout": 0, "groups": ["qa", "beta"] })
        );
        assert_eq!(change(" --channel stable"), json!({ "publish": true, "channel": "stable" }));
    }
}
