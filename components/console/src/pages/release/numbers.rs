//! The figures on the first screen of a release's page.

use maud::{Markup, html};
use spindrift_api::{AppEntry, GuardActionName, ReleaseHealthBody, VerdictName};
use spindrift_core::{Timestamp, is_maintenance_overdue};

use super::devices::Devices;
use super::failing_round;
use super::rollout::OfferView;
use crate::release_state::FailureFigures;
use crate::{Address, parts};

pub(super) struct Numbers<'n> {
    pub(super) offered: &'n OfferView<'n>,
    pub(super) devices: &'n Devices,
    /// `None`: the release is not published.
    pub(super) health: Option<&'n ReleaseHealthBody>,
    pub(super) app: &'n AppEntry,
    pub(super) now: Timestamp,
}

impl Numbers<'_> {
    pub(super) fn show(&self) -> Markup {
        html! {
            div #numbers data-live {
                @if let Some(health) = self.health { (failing_round::mark(health)) }
                dl.sums.numbers {
                    (self.failing())
                    (self.adoption())
                    (self.next_step())
                    (self.health_tile())
                }
            }
        }
    }

    fn figures(&self) -> Option<FailureFigures<'_>> {
        FailureFigures::now(self.health?)
    }

    fn failing(&self) -> Markup {
        let Some(figures) = self.figures().filter(|_| self.app.reports) else {
            return tile("Failing devices", "", &html! { "–" }, &self.reason_not_counted());
        };
        let class = if figures.is_failing { "bad" } else { "" };
        let note = html! {
            @match figures.before() { Some(before) => (before), None => "nothing to compare with" }
            @if let Some(version) = figures.running.baseline.as_ref().and_then(|before| before.version.as_ref()) {
                ", with " (version)
            }
            @if figures.updating.k > 0 {
                br; (parts::count(figures.updating.k, "device")) " failed to update to it"
            }
        };
        tile("Failing devices now", class, &html! { (figures.share()) }, &note)
    }

    fn reason_not_counted(&self) -> Markup {
        html! {
            @if !self.app.reports {
                "takes no failure reports: " a href=(Address::page(["setup"])) { "turn them on" }
            } @else if self.offered.is_hidden() { "nobody sees it" }
            @else { "failures are counted for 14 days, and below 100 %" }
        }
    }

    fn adoption(&self) -> Markup {
        let Devices { all, on_this, .. } = self.devices;
        let value = html! { (parts::number(*on_this)) @if *all > 0 { " of " (parts::number(*all)) } };
        let note = html! {
            @if *all > 0 { (parts::share(*on_this, *all)) " of the devices of 30 days" }
            @else { "no devices in 30 days" }
        };
        tile("Devices on it", "", &value, &note)
    }

    fn next_step(&self) -> Markup {
        let offered = self.offered;
        let value = match (offered.next_at(), offered.next().filter(|_| offered.is_going())) {
            (Some(next), _) => html! { (next.percent) " % " span.when { (parts::ago(&next.at)) } },
            (None, Some(next)) => html! { (next) " %" },
            (None, None) => html! { "none" },
        };
        tile("Next step", "", &value, &offered.outlook())
    }

    fn health_tile(&self) -> Markup {
        let figures = self.figures();
        let (class, word) = match &figures {
            Some(figures) if figures.is_failing => ("bad", figures.word()),
            Some(figures) if figures.verdict == VerdictName::Healthy => ("good", "healthy"),
            Some(_) => ("", "not known yet"),
            None => ("", "–"),
        };
        let note = html! {
            @if let Some(figures) = &figures { (figures.why) " " }
            (self.guard())
        };
        tile("Health", class, &html! { (word) }, &note)
    }

    /// The order of the guard, and when a run last looked.
    fn guard(&self) -> Markup {
        let Some(guard) = &self.offered.offer.guard else {
            return html! { "It has no guard: nothing stops it by itself." };
        };
        let stop = match guard.on_unhealthy {
            GuardActionName::Pause => "pauses the plan of an unhealthy release",
            GuardActionName::Halt => "halts an unhealthy release",
        };
        let Some(health) = self.health else {
            return html! { "Its guard " (stop) "." };
        };
        let looked_at = health.at.as_deref();
        let due_since = looked_at.or(health.since.as_deref()).and_then(Timestamp::from_rfc3339);
        let is_overdue =
            health.now.is_some() && due_since.is_some_and(|since| is_maintenance_overdue(since, self.now));
        html! {
            @match (is_overdue, looked_at) {
                (true, Some(_)) => strong.warn { "No guard run has looked at it for more than an hour: its guard stops nothing." },
                (true, None) => strong.warn { "No guard run has looked at it yet: its guard stops nothing." },
                (false, None) => { "No guard run has looked at it yet. Its guard " (stop) "." },
                (false, Some(at)) => { "Its guard " (stop) ", and looked " (parts::ago(at)) "." },
            }
        }
    }
}

fn tile(title: &str, class: &str, value: &Markup, note: &Markup) -> Markup {
    html! {
        div {
            dt { (title) }
            dd class=(class) { (value) }
            dd.note { (note) }
        }
    }
}

#[cfg(test)]
mod tests;
