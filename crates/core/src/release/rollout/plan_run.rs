//! The progress of a plan.

use super::{BasisPoints, Freezes, Plan, StepLength};
use crate::Timestamp;

/// A plan and its progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRun {
    /// The plan.
    pub plan: Plan,
    /// The index of a step in the plan. A running plan may have passed it.
    pub step: usize,
    /// The timing of that step.
    pub clock: StepClock,
    /// The freezes that hold later steps, as of the last order and the last change of freezes. If
    /// that step was due before then, also those that have held it.
    pub freezes: Freezes,
}

/// The timing of a step of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepClock {
    /// It has been running since this time.
    Runs(Timestamp),
    /// It has been stopped after this many milliseconds, at most its duration.
    Stands(i64),
}

impl StepClock {
    const fn is_stopped(self) -> bool {
        matches!(self, Self::Stands(_))
    }
}

impl PlanRun {
    /// At the beginning of a step that does not run yet.
    pub(super) fn new(plan: Plan, step: usize) -> Self {
        Self { plan, step, clock: StepClock::Stands(0), freezes: Freezes::default() }
    }

    /// The percentage of its step.
    pub(super) fn present(&self) -> BasisPoints {
        self.plan.step(self.step).to
    }

    /// The step that follows automatically, from the time when it begins.
    pub(super) fn next_step(&self) -> Option<Self> {
        let clock = StepClock::Runs(self.begin(self.due()?));
        Some(Self { step: self.step + 1, clock, ..self.clone() })
    }

    /// When the next step is due, apart from freezes and working hours.
    fn due(&self) -> Option<Timestamp> {
        let StepClock::Runs(since) = self.clock else { return None };
        let lasts = self.plan.step(self.step).lasts.filter(|_| self.step < self.plan.last())?;
        Some(since.plus_seconds(lasts.seconds()))
    }

    /// When a step begins that is due at a time.
    fn begin(&self, due: Timestamp) -> Timestamp {
        let mut at = due;
        loop {
            let open = self.freezes.at_or_after(self.plan.begin(at));
            if open == at {
                return at;
            }
            at = open;
        }
    }

    pub(super) fn with_freezes(self, freezes: &Freezes, now: Timestamp) -> Self {
        // Earlier freezes matter only to a step that is due already, or was when the plan began.
        let is_due = self.clock.is_stopped() || self.due().is_some_and(|due| due < now);
        let before = if is_due { self.freezes.clone() } else { Freezes::default() };
        Self { freezes: before.replaced_from(now, freezes), ..self }
    }

    /// At the step that has begun last at a time.
    pub(super) fn as_of(&self, at: Timestamp) -> Self {
        let has_begun = |run: &Self| matches!(run.clock, StepClock::Runs(since) if since <= at);
        let follow = |run: &Self| run.next_step().filter(has_begun);
        std::iter::successors(Some(self.clone()), follow).last().unwrap_or_else(|| self.clone())
    }

    /// At the beginning of its step.
    pub(super) fn restart(self, at: Timestamp) -> Self {
        let clock = match self.clock {
            StepClock::Runs(_) => StepClock::Runs(at),
            StepClock::Stands(_) => StepClock::Stands(0),
        };
        Self { clock, ..self }
    }

    /// Running or stopped from a time on, without losing elapsed time.
    pub(super) fn with_clock(self, runs: bool, at: Timestamp) -> Self {
        let clock = match (self.clock, runs) {
            (StepClock::Stands(elapsed), true) => {
                StepClock::Runs(Timestamp::from_millis(at.as_millis().saturating_sub(elapsed)))
            }
            (StepClock::Runs(since), false) => {
                let elapsed = at.as_millis().saturating_sub(since.as_millis()).max(0);
                // If the next step waits for working hours or the end of a freeze, the step is over.
                let lasts = self.plan.step(self.step).lasts.map(StepLength::millis);
                StepClock::Stands(lasts.map_or(elapsed, |lasts| elapsed.min(lasts)))
            }
            (same, _) => same,
        };
        Self { clock, ..self }
    }
}
