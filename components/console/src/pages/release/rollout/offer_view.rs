//! An offer of a release: its state in words and as a bar.

use maud::{Markup, html};
use spindrift_api::{OfferBody, PlanBody, PlanStepBody, ReleaseBody, WithdrawalBody};
use spindrift_core::{BasisPoints, ReleaseState, RolloutState};

use crate::{parts, release_state, rollout};

/// The bar's size in its own units, and the minimum width of a visible part.
const WIDTH: u32 = 1000;
const HEIGHT: u32 = 10;
const SEEN: u32 = 4;

/// An offer, and its devices.
pub(super) struct OfferView<'o> {
    pub(super) offer: &'o OfferBody,
    pub(super) app: &'o str,
    pub(super) withdrawn: Option<&'o WithdrawalBody>,
    /// Whether updates are shut off for clients of the channel.
    pub(super) is_shut_off: bool,
    /// How many devices the release is for.
    pub(super) devices: u64,
    /// Whether clients must not skip the release.
    pub(super) is_intermediate: bool,
}

impl<'o> OfferView<'o> {
    pub(super) fn of(release: &'o ReleaseBody, offer: &'o OfferBody, devices: u64) -> Self {
        let ReleaseBody { app, withdrawn, shut_off: is_shut_off, .. } = release;
        let (withdrawn, is_shut_off) = (withdrawn.as_ref(), *is_shut_off);
        Self { offer, app, withdrawn, is_shut_off, devices, is_intermediate: false }
    }

    /// Whether clients see the release. An unknown state counts as a draft.
    pub(super) fn visibility(&self) -> ReleaseState {
        release_state::parse(&self.offer.state).unwrap_or(ReleaseState::Draft)
    }

    /// Whether clients do not see the release, for any reason.
    pub(super) fn is_hidden(&self) -> bool {
        self.visibility() != ReleaseState::Published
    }

    pub(super) fn is_withdrawn(&self) -> bool {
        self.visibility() == ReleaseState::Withdrawn
    }

    pub(super) fn state(&self) -> RolloutState {
        rollout::state(&self.offer.rollout.state)
    }

    pub(super) fn is_halted(&self) -> bool {
        self.state() == RolloutState::Halted
    }

    /// Whether older copies are held at an earlier version.
    pub(super) fn holds_back(&self) -> bool {
        self.is_intermediate && self.is_halted() && !self.is_hidden()
    }

    /// The rollout's percentage.
    pub(super) fn part(&self) -> BasisPoints {
        self.offer.rollout.part()
    }

    /// The minimum percentage of a stage or a plan. Devices below it may already have the release.
    pub(super) fn least(&self) -> BasisPoints {
        if self.is_hidden() || self.is_halted() { BasisPoints::NONE } else { self.part() }
    }

    /// The steps of the plan. Empty without a plan.
    pub(super) fn plan(&self) -> &'o [PlanStepBody] {
        self.offer.rollout.plan.as_ref().map(PlanBody::steps).unwrap_or_default()
    }

    /// The index of the current step.
    pub(super) fn step(&self) -> usize {
        self.offer.rollout.step.unwrap_or_default()
    }

    /// The percentage of the next step, whether or not it begins automatically.
    pub(super) fn next(&self) -> Option<BasisPoints> {
        self.plan().get(self.step() + 1).map(|step| step.percent.0)
    }

    /// The state in one line.
    pub(super) fn headline(&self) -> Markup {
        html! {
            @match self.visibility() {
                ReleaseState::Draft => "Draft: nobody sees it",
                ReleaseState::Scheduled => {
                    "Scheduled: clients see it from "
                    @match &self.offer.publish_at { Some(at) => (parts::time(at)), None => "a later time" }
                }
                ReleaseState::Withdrawn => {
                    "Withdrawn"
                    @if let Some(withdrawn) = self.withdrawn { " on " (parts::time(&withdrawn.at)) ": " (withdrawn.reason) }
                }
                ReleaseState::Published => (self.progress()),
            }
        }
    }

    /// The progress of a visible release.
    fn progress(&self) -> Markup {
        let part = self.part();
        html! {
            @match self.state() {
                RolloutState::Halted => { "Halted at " (part) " %: no further device gets it" }
                RolloutState::Paused => { "Paused at " (part) " %" }
                RolloutState::Complete => "Complete: every device may have it",
                RolloutState::Fixed | RolloutState::Running => {
                    "Offered to " (part) " % of devices, " (self.devices_text(part))
                }
            }
        }
    }

    /// The next event of the rollout, in one line.
    pub(super) fn outlook(&self) -> Markup {
        let part = self.part();
        html! {
            @if self.is_withdrawn() {
                "It is offered to nobody. Clients with the updater manual that run it are told this reason; \
                 others are not told."
            } @else if self.is_hidden() { (self.once_published()) } @else {
                @match self.state() {
                    RolloutState::Halted => {
                        "Devices that run it keep it. After Resume it goes on at " (part) " %."
                    }
                    RolloutState::Paused => {
                        "Devices within this " (part) " % still get it, " (self.devices_text(part)) ". The plan stands still."
                    }
                    RolloutState::Running => (self.next_step()),
                    RolloutState::Complete => "There is no further step.",
                    RolloutState::Fixed => "There is no plan: it stays there until somebody changes it.",
                }
            }
        }
    }

    fn once_published(&self) -> Markup {
        let part = self.part();
        html! {
            @if self.is_halted() {
                "It was halted at " (part) " %: published again, no further device gets it until somebody \
                    resumes it."
            } @else if self.visibility() == ReleaseState::Scheduled {
                @if self.plan().is_empty() { "From then on, " } @else { "The plan begins then: " }
                (part) " % of devices may have it, " (self.devices_text(part)) "."
            } @else if self.plan().is_empty() {
                "Once it is published, " (part) " % of devices may have it, " (self.devices_text(part)) "."
            } @else {
                "The plan waits until it is published, at " (part) " %, " (self.devices_text(part)) "."
            }
        }
    }

    /// Until when a freeze holds the publication or the next step, in one line.
    pub(super) fn freeze(&self) -> Option<Markup> {
        self.offer
            .held_until
            .as_ref()
            .map(|until| html! { "A freeze holds it until " (parts::time(until)) "." })
    }

    fn next_step(&self) -> Markup {
        html! {
            @match (&self.offer.rollout.next, self.next()) {
                (Some(next), _) => {
                    "Next: " (next.percent) " %, " (self.devices_text(next.percent.0)) ", " (parts::time(&next.at))
                }
                (None, Some(next)) => { "Next: " (next) " %, " (self.devices_text(next)) ", once somebody begins it." }
                (None, None) => "There is no further step.",
            }
        }
    }

    /// The groups that are admitted in addition to the percentage, in one line. `None`: there are
    /// none, or they have no advantage.
    pub(super) fn admitted_groups(&self) -> Option<Markup> {
        let groups = self.offer.groups.join(", ");
        let is_open = !self.is_halted() && !self.is_withdrawn() && !self.part().is_all();
        (is_open && !groups.is_empty()).then(|| {
            html! {
                @if self.is_hidden() { "Once clients see it, it" } @else { "It" }
                " is also offered to devices in these groups: " (groups) "."
            }
        })
    }

    fn devices_text(&self, part: BasisPoints) -> String {
        rollout::devices_text(part, self.devices)
    }

    /// The current percentage, and the next one.
    pub(super) fn bar(&self) -> Markup {
        let size = format!("0 0 {WIDTH} {HEIGHT}");
        let label = format!("{} % of devices", self.part());
        html! {
            svg.extent viewBox=(size) preserveAspectRatio="none" role="img" aria-label=(label) {
                @if let Some(next) = self.next() { rect.ahead width=(width(next)) height=(HEIGHT) {} }
                rect.reached width=(width(self.part())) height=(HEIGHT) {}
            }
        }
    }

    /// The CSS class of the bar's colour.
    pub(super) fn class(&self) -> &'static str {
        if self.is_hidden() { self.visibility().as_str() } else { self.state().as_str() }
    }
}

fn width(part: BasisPoints) -> u32 {
    let width = u32::from(part.get()) * WIDTH / u32::from(BasisPoints::ALL.get());
    if part.get() > 0 { width.max(SEEN) } else { 0 }
}
