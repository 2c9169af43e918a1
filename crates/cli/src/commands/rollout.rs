//! `rollout start|set|pause|resume|advance|complete|halt|guard|health|show`.

mod guard;
mod health;
mod selection;
mod sentences;
mod steps;

use clap::{Args, Subcommand};
use spindrift_api::{OfferBody, Percentage, ReleaseBody, RolloutActionBody, RolloutActionName};
use spindrift_core::Plan;

use self::guard::RolloutGuardCommand;
use self::health::RolloutHealthCommand;
use self::selection::{OfferSelection, RolloutChange, RolloutOrder};
pub(crate) use self::sentences::{guard_sentence, step, time};
use self::sentences::{guard_words, sentence, state, verdict};
pub(crate) use self::steps::{hours, steps};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::releases;

#[derive(Debug, Subcommand)]
pub(crate) enum RolloutCommand {
    /// Roll a release out by a plan, from its first step.
    ///
    /// The plan of a draft begins when the release is published. That of a halted release begins when the
    /// halt is ended with `spindrift rollout resume`.
    Start(RolloutStartCommand),
    /// Offer a release to a percentage of devices, without a plan.
    ///
    /// A lower percentage is set whatever the revision.
    Set(RolloutSetCommand),
    /// Pause a plan. Devices that the current step includes still get the release.
    Pause(RolloutOrder),
    /// End a pause or a halt. The rollout continues where it was.
    Resume(RolloutChange),
    /// Begin the next step of a plan now. This also ends a pause.
    Advance(RolloutChange),
    /// Offer a release to all devices.
    Complete(RolloutChange),
    /// Stop offering a release to further devices. Devices that have it keep it.
    Halt(RolloutOrder),
    /// Set what a guard run does if it finds a release unhealthy.
    ///
    /// `spindrift guard run`, which a timer should call, then pauses or halts the release. Nothing
    /// else reacts to failures.
    Guard(RolloutGuardCommand),
    /// Show what the last guard run found: whether a release fails more often than the one before.
    Health(RolloutHealthCommand),
    /// Show how far a release is rolled out, and its plan.
    Show(OfferSelection),
}

#[derive(Debug, Args)]
pub(crate) struct RolloutStartCommand {
    #[command(flatten)]
    change: RolloutChange,
    /// Percentages that rise to 100, separated by commas. `5:12h` is 5 % for 12 hours; `m` and `d` are
    /// minutes and days. `5` alone is 5 % until `spindrift rollout advance`.
    /// `5:1d,100 @ Mon-Thu 09:00-16:00 +01:00` begins later steps only in these hours.
    #[arg(long, value_name = "STEPS")]
    plan: Plan,
}

#[derive(Debug, Args)]
pub(crate) struct RolloutSetCommand {
    #[command(flatten)]
    change: RolloutChange,
    /// Percentage: 0 (no device) to 100 (all devices), with up to two decimals.
    percent: Percentage,
}

impl RolloutCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        use RolloutActionName as Name;
        match self {
            Self::Start(RolloutStartCommand { change, plan }) => {
                let action = RolloutActionBody { plan: Some(plan.to_json()), ..action(Name::Start) };
                change.send_action(context, action).await
            }
            Self::Set(RolloutSetCommand { change, percent }) => {
                let action = RolloutActionBody { percent: Some(percent.0.to_json()), ..action(Name::Set) };
                change.send_action(context, action).await
            }
            Self::Pause(order) => order.send_action(context, action(Name::Pause)).await,
            Self::Resume(change) => change.send_action(context, action(Name::Resume)).await,
            Self::Advance(change) => change.send_action(context, action(Name::Advance)).await,
            Self::Complete(change) => change.send_action(context, action(Name::Complete)).await,
            Self::Halt(order) => order.send_action(context, action(Name::Halt)).await,
            Self::Guard(guard) => guard.set(context).await,
            Self::Health(health) => return health.run(context).await,
            Self::Show(selection) => selection.show(context).await,
        }?;
        Ok(Outcome::Done)
    }
}

/// An action that needs no further fields.
const fn action(action: RolloutActionName) -> RolloutActionBody {
    RolloutActionBody { action, percent: None, plan: None, channel: None, if_revision: None, reason: None }
}

impl RolloutChange {
    async fn send_action(self, context: &Context, action: RolloutActionBody) -> Result<(), CliError> {
        let Self { order, if_revision } = self;
        order.send_action(context, RolloutActionBody { if_revision, ..action }).await
    }
}

impl RolloutOrder {
    async fn send_action(self, context: &Context, action: RolloutActionBody) -> Result<(), CliError> {
        let Self { selection, reason } = self;
        let action = RolloutActionBody { channel: selection.channel.clone(), reason, ..action };
        let text = |release: &_, offer: &_| state_text(release, offer, Some(action.action));
        selection.change(context, "rollout", &action, text).await
    }
}

/// Describes the state after a change, and what else keeps clients from the release. `None`: the
/// action did not concern the rollout.
pub(crate) fn state_text(
    release: &ReleaseBody,
    offer: &OfferBody,
    action: Option<RolloutActionName>,
) -> String {
    let mut text = sentence(&format!("{} {}", release.app, release.version), offer);
    let is_halt = action == Some(RolloutActionName::Halt);
    if offer.rollout.state == "halted" && !is_halt {
        text.push_str("\n`spindrift rollout resume` ends the halt");
    }
    if let Some(until) = offer.held_until.as_deref().filter(|_| !is_halt) {
        text.push('\n');
        text.push_str(&held(until));
    }
    if release.shut_off && !is_halt {
        text.push_str("\nupdates are shut off: `spindrift shutoff list` shows for which clients");
    }
    text
}

/// Until when a freeze holds the publication or the next step.
pub(crate) fn held(until: &str) -> String {
    format!("a freeze holds it until {}: `spindrift freeze list` shows why", time(until))
}

impl OfferSelection {
    async fn show(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        let release = releases::find_offers(&service, &self.app, &self.version).await?;
        let rows = rows(&release, &self.offers(&release)?);
        context.output.rows(&release, &["", ""], &rows)
    }
}

fn rows(release: &ReleaseBody, offers: &[&OfferBody]) -> Vec<Vec<String>> {
    let mut rows = vec![("application", release.app.clone()), ("version", release.version.clone())];
    for offer in offers {
        let channel = Some(&offer.channel).filter(|channel| !channel.is_empty());
        rows.extend(channel.map(|channel| ("channel", channel.clone())));
        rows.push(("state", state(offer)));
        rows.push(("percent", format!("{} %", offer.rollout.part())));
        rows.extend(steps(offer).into_iter().map(|step| ("step", step)));
        rows.extend(hours(offer).map(|hours| ("steps begin", hours)));
        rows.extend(offer.held_until.as_deref().map(|until| ("freeze", held(until))));
        if !offer.groups.is_empty() {
            rows.push(("groups", offer.groups.join(", ")));
        }
        rows.extend(offer.guard.as_ref().map(|guard| ("guard", guard_words(guard))));
        rows.extend(offer.verdict.map(|found| ("health", verdict(found).to_owned())));
        rows.push(("revision", offer.revision.to_string()));
        rows.extend(offer.offered_at.as_deref().map(|at| ("offered since", time(at))));
    }
    rows.into_iter().map(|(label, value)| vec![label.to_owned(), value]).collect()
}

#[cfg(test)]
mod tests;
