//! An offer of a release: its state in words and as a bar.

use maud::{Markup, html};
use spindrift_api::{NextStepBody, OfferBody, PlanBody, PlanStepBody, ReleaseBody, WithdrawalBody};
use spindrift_core::{BasisPoints, ReleaseState, RolloutState};

use crate::release_state::{Doubt, FailureFigures, Standing, Stop};
use crate::{Address, parts, release_state, rollout};

/// The bar's size in its own units, and the minimum width of a visible part.
const WIDTH: u32 = 1000;
const HEIGHT: u32 = 10;
const SEEN: u32 = 4;

/// An offer, and its devices.
pub(in super::super) struct OfferView<'o> {
    pub(in super::super) offer: &'o OfferBody,
    pub(in super::super) app: &'o str,
    pub(in super::super) withdrawn: Option<&'o WithdrawalBody>,
    /// Whether updates are shut off for clients of the channel.
    pub(in super::super) is_shut_off: bool,
    /// How many devices the release is for.
    pub(in super::super) devices: u64,
    /// Whether clients must not skip the release.
    pub(in super::super) is_intermediate: bool,
    /// Its pause or halt, if that is known.
    pub(in super::super) stop: Option<&'o Stop>,
    /// `None`: failures are not counted.
    pub(in super::super) failures: Option<FailureFigures<'o>>,
    /// Why it may be worse than the figures say.
    pub(in super::super) doubt: Option<Doubt>,
}

impl<'o> OfferView<'o> {
    pub(in super::super) fn of(release: &'o ReleaseBody, offer: &'o OfferBody, devices: u64) -> Self {
        let ReleaseBody { app, withdrawn, shut_off: is_shut_off, .. } = release;
        let (withdrawn, is_shut_off) = (withdrawn.as_ref(), *is_shut_off);
        Self {
            offer,
            app,
            withdrawn,
            is_shut_off,
            devices,
            is_intermediate: false,
            stop: None,
            failures: None,
            doubt: None,
        }
    }

    /// Whether clients see the release. An unknown state counts as a draft.
    pub(in super::super) fn visibility(&self) -> ReleaseState {
        release_state::parse(&self.offer.state).unwrap_or(ReleaseState::Draft)
    }

    /// Whether clients do not see the release, for any reason.
    pub(in super::super) fn is_hidden(&self) -> bool {
        self.visibility() != ReleaseState::Published
    }

    pub(in super::super) fn is_withdrawn(&self) -> bool {
        self.visibility() == ReleaseState::Withdrawn
    }

    pub(in super::super) fn state(&self) -> RolloutState {
        rollout::state(&self.offer.rollout.state)
    }

    pub(in super::super) fn is_halted(&self) -> bool {
        self.state() == RolloutState::Halted
    }

    /// Whether older copies are held at an earlier version.
    pub(in super::super) fn holds_back(&self) -> bool {
        self.is_intermediate && self.is_halted() && !self.is_hidden()
    }

    /// The rollout's percentage.
    pub(in super::super) fn part(&self) -> BasisPoints {
        self.offer.rollout.part()
    }

    /// The minimum percentage of a stage or a plan. Devices below it may already have the release.
    pub(in super::super) fn least(&self) -> BasisPoints {
        if self.is_hidden() || self.is_halted() { BasisPoints::NONE } else { self.part() }
    }

    /// The steps of the plan. Empty without a plan.
    pub(in super::super) fn plan(&self) -> &'o [PlanStepBody] {
        self.offer.rollout.plan.as_ref().map(PlanBody::steps).unwrap_or_default()
    }

    /// The index of the current step.
    pub(in super::super) fn step(&self) -> usize {
        self.offer.rollout.step.unwrap_or_default()
    }

    /// The percentage of the next step, whether or not it begins automatically.
    pub(in super::super) fn next(&self) -> Option<BasisPoints> {
        self.plan().get(self.step() + 1).map(|step| step.percent.0)
    }

    fn standing(&self) -> Standing<'o> {
        Standing {
            visibility: self.visibility(),
            rollout: self.state(),
            part: self.part(),
            publish_at: self.offer.publish_at.as_deref(),
            withdrawn: self.withdrawn,
            stop: self.stop,
            failures: self.failures,
            doubt: self.doubt,
        }
    }

    /// The state in one line.
    pub(in super::super) fn headline(&self) -> Markup {
        self.standing().line()
    }

    /// The CSS class of the page's colour.
    pub(in super::super) fn tone(&self) -> &'static str {
        self.standing().tone()
    }

    /// Whether somebody is asked before more devices get it.
    pub(in super::super) fn needs_caution(&self) -> bool {
        self.doubt.is_some() || self.failures.is_some_and(|failures| failures.is_failing)
    }

    /// Whether a plan could go on: it runs or is paused, and clients see the release.
    pub(in super::super) fn is_going(&self) -> bool {
        matches!(self.state(), RolloutState::Running | RolloutState::Paused) && !self.is_hidden()
    }

    /// The step that begins by itself.
    pub(in super::super) fn next_at(&self) -> Option<&'o NextStepBody> {
        self.offer.rollout.next.as_ref()
    }

    /// The next event of the rollout, in one line.
    pub(in super::super) fn outlook(&self) -> Markup {
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
                    RolloutState::Running => (self.next_devices()),
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
        self.offer.held_until.as_ref().map(|until| {
            html! {
                a href=(Address::page(["freezes"])) { "A freeze" } " holds it until " (parts::time(until)) "."
            }
        })
    }

    fn next_devices(&self) -> Markup {
        html! {
            @match (self.next_at(), self.next()) {
                (Some(next), _) => (self.devices_text(next.percent.0)),
                (None, Some(next)) => { (self.devices_text(next)) ", once somebody begins it" }
                (None, None) => "There is no further step.",
            }
        }
    }

    /// The groups that are admitted in addition to the percentage, in one line. `None`: there are
    /// none, or they have no advantage.
    pub(in super::super) fn admitted_groups(&self) -> Option<Markup> {
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
    pub(in super::super) fn bar(&self) -> Markup {
        let size = format!("0 0 {WIDTH} {HEIGHT}");
        let label = format!("{} % of devices", self.part());
        html! {
            svg.extent viewBox=(size) preserveAspectRatio="none" role="img" aria-label=(label) {
                @if let Some(next) = self.next() { rect.ahead width=(width(next)) height=(HEIGHT) {} }
                rect.reached width=(width(self.part())) height=(HEIGHT) {}
            }
        }
    }
}

fn width(part: BasisPoints) -> u32 {
    let width = u32::from(part.get()) * WIDTH / u32::from(BasisPoints::ALL.get());
    if part.get() > 0 { width.max(SEEN) } else { 0 }
}
