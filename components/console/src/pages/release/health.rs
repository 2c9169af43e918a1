//! A release's health, according to the last guard run.

mod figures;

use maud::{Markup, html};
use spindrift_api::{OfferBody, ReleaseEntry, ReleaseHealthBody, VerdictName};
use spindrift_core::health::Round;
use spindrift_core::{Id, RolloutState, Timestamp, is_maintenance_overdue};

use crate::{Address, Context, Result, parts, rollout};

/// The findings about a release. `Ok(None)`: it is not published, so there are none.
pub(super) async fn load(context: &Context<'_>, release: &ReleaseEntry) -> Result<Option<ReleaseHealthBody>> {
    if !release.published {
        return Ok(None);
    }
    let call = Address::call("/releases").with_segment(release.id.as_str()).with_segment("health");
    let call = call.with("channel", &release.channel);
    context.service.get(&call).await.map(Some)
}

/// The health of a release that is being rolled out.
pub(super) struct HealthSection<'h> {
    body: &'h ReleaseHealthBody,
    version: &'h str,
    is_halted: bool,
    now: Timestamp,
}

impl<'h> HealthSection<'h> {
    /// `None`: guard runs no longer check the release.
    pub(super) fn of(
        (release, version): (&Id, &'h str),
        offer: &OfferBody,
        body: &'h ReleaseHealthBody,
        now: Timestamp,
    ) -> Option<Self> {
        let time = |text: &Option<String>| text.as_deref().and_then(Timestamp::from_rfc3339);
        let (since, offered_at) = (time(&body.since)?, time(&offer.offered_at)?);
        let is_halted = rollout::state(&offer.rollout.state) == RolloutState::Halted;
        let is_complete = offer.rollout.part().is_all() && !is_halted;
        let round = Round { release: release.clone(), since };
        let is_under_way = round.is_under_way(offered_at, is_complete, now);
        is_under_way.then_some(Self { body, version, is_halted, now })
    }

    /// The verdict, for the top of the page. `halt`: the form that halts the release, for visitors
    /// who may.
    pub(super) fn show(&self, halt: Option<&Markup>) -> Markup {
        html! {
            @match self.body.verdict {
                VerdictName::Unhealthy => (self.banner(halt)),
                VerdictName::Unknown if figures::are_worse(self.body) => (self.doubt()),
                VerdictName::Healthy | VerdictName::Unknown => (self.without_findings()),
            }
            (self.missing_run())
        }
    }

    fn banner(&self, halt: Option<&Markup>) -> Markup {
        html! {
            section.alarm aria-label="Health" {
                p.headline { strong { (self.version) " is unhealthy" } }
                p { (self.body.why) }
                (figures::list(self.body))
                @if self.is_halted { p { "It is halted: no further device gets it." } }
                @else if let Some(halt) = halt { (halt) }
                (self.last_run())
            }
        }
    }

    /// The release only looks worse: shows the doubt.
    fn doubt(&self) -> Markup {
        html! {
            section.warning aria-label="Health" {
                p { strong { "It is not known yet whether " (self.version) " is healthy. " } (self.body.why) }
                (figures::list(self.body))
                (self.last_run())
            }
        }
    }

    fn without_findings(&self) -> Markup {
        let verdict = match self.body.verdict {
            VerdictName::Healthy => "Healthy. ",
            VerdictName::Unhealthy | VerdictName::Unknown => "It is not known yet whether it is healthy. ",
        };
        html! {
            @if let Some(at) = &self.body.at {
                p.hint { (verdict) (self.body.why) " Looked at " (parts::time(at)) "." }
            }
        }
    }

    fn last_run(&self) -> Markup {
        html! { @if let Some(at) = &self.body.at { p { "The last guard run looked at it " (parts::time(at)) "." } } }
    }

    /// The text about a guard whose run is late or has not happened yet. Empty without a guard.
    fn missing_run(&self) -> Markup {
        let looked_at = self.body.at.as_deref();
        let due_since = looked_at.or(self.body.since.as_deref()).and_then(Timestamp::from_rfc3339);
        let is_overdue = due_since.is_some_and(|since| is_maintenance_overdue(since, self.now));
        html! {
            @if self.body.guard.is_some() {
                @if is_overdue {
                    p.warning {
                        "No guard run has looked at it "
                        @if looked_at.is_some() { "for more than an hour" } @else { "yet" }
                        ": its guard stops nothing."
                    }
                } @else if looked_at.is_none() { p.hint { "No guard run has looked at it yet." } }
            }
        }
    }
}

#[cfg(test)]
mod tests;
