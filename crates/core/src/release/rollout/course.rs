//! The course of a release's rollout: a fixed percentage or a plan, and whether it is paused or
//! halted.
//!
//! The progress of a plan depends only on time, so no process has to run when a step begins.

use super::{BasisPoints, Freezes, Plan, PlanRun, Rollout, StepClock, Widening};
use crate::Timestamp;

/// How a release is rolled out, now and later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    /// Gives each release its own order of devices.
    pub seed: String,
    /// Whether it is paused or halted.
    pub hold: Hold,
    /// How far it is.
    pub pace: Pace,
}

/// Whether a rollout is paused or halted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// Not held.
    Off,
    /// The plan is paused. Devices that may have the release still get it.
    Paused,
    /// No further device gets the release.
    Halted,
}

/// How far a release is rolled out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pace {
    /// To a part of the devices, until somebody changes that.
    Fixed(BasisPoints),
    /// According to a plan.
    Planned(PlanRun),
}

/// The state of a rollout, in terms for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RolloutState {
    /// No plan, and not for everybody.
    Fixed,
    /// Running by a plan, which may wait for the release to be published.
    Running,
    /// The plan is paused.
    Paused,
    /// No further device gets the release.
    Halted,
    /// Everybody may have the release.
    Complete,
}

impl RolloutState {
    /// The text form in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Halted => "halted",
            Self::Complete => "complete",
        }
    }
}

/// A person's action on a rollout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RolloutAction {
    /// Run the plan from its first step.
    Start(Plan),
    /// Stay at this percentage, without a plan.
    Set(BasisPoints),
    /// Pause the plan.
    Pause,
    /// End a pause or a halt: the rollout continues where it was.
    Resume,
    /// Begin the next step now.
    Advance,
    /// Go to everybody.
    Complete,
    /// Let no further device have the release.
    Halt,
}

/// Why an action was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RolloutRefused {
    /// The action makes no sense in the current state.
    #[error("the rollout is {}", .0.as_str())]
    WrongState(RolloutState),
    /// The plan begins below the current percentage.
    #[error("below the present percentage: {0}")]
    BelowPresent(BasisPoints),
    /// Only a published release can be halted.
    #[error("the release is not published")]
    NotPublished,
}

impl Course {
    /// Everybody, or a fixed part of the devices.
    pub const fn fixed(basis_points: BasisPoints, seed: String) -> Self {
        Self { seed, hold: Hold::Off, pace: Pace::Fixed(basis_points) }
    }

    /// A course with a plan, which begins when the release is published.
    pub fn planned(plan: Plan, seed: String) -> Self {
        Self::fixed(BasisPoints::NONE, seed).with_plan(plan)
    }

    /// The course at a fixed percentage, without a plan. Only resuming ends a halt, so a late click
    /// on a percentage cannot undo one.
    #[must_use]
    pub fn set(self, basis_points: BasisPoints) -> Self {
        Self { seed: self.seed, hold: self.hold.unless_paused(), pace: Pace::Fixed(basis_points) }
    }

    /// The course at the first step of a plan. Like [`Course::set`], it keeps a halt.
    #[must_use]
    pub fn with_plan(self, plan: Plan) -> Self {
        let run = PlanRun::new(plan, 0);
        Self { seed: self.seed, hold: self.hold.unless_paused(), pace: Pace::Planned(run) }
    }

    /// The percentage at a time.
    pub fn basis_points(&self, at: Timestamp) -> BasisPoints {
        match &self.pace {
            Pace::Fixed(basis_points) => *basis_points,
            Pace::Planned(run) => run.as_of(at).present(),
        }
    }

    /// The percentage when its step was recorded.
    pub fn recorded_basis_points(&self) -> BasisPoints {
        match &self.pace {
            Pace::Fixed(basis_points) => *basis_points,
            Pace::Planned(run) => run.present(),
        }
    }

    /// The state at a time.
    pub fn state(&self, at: Timestamp) -> RolloutState {
        match (self.hold, &self.pace) {
            (Hold::Halted, _) => RolloutState::Halted,
            _ if self.basis_points(at).is_all() => RolloutState::Complete,
            (Hold::Paused, _) => RolloutState::Paused,
            (Hold::Off, Pace::Planned(_)) => RolloutState::Running,
            (Hold::Off, Pace::Fixed(_)) => RolloutState::Fixed,
        }
    }

    /// The next step that begins automatically after a time.
    pub fn next(&self, after: Timestamp) -> Option<Widening> {
        self.widenings(after).next()
    }

    /// When the step after the recorded one begins. If this is in the past, the course must be
    /// recorded again: see [`Self::as_of`].
    pub fn due(&self) -> Option<Timestamp> {
        let Pace::Planned(run) = &self.pace else { return None };
        match run.next_step()?.clock {
            StepClock::Runs(at) => Some(at),
            StepClock::Stands(_) => None,
        }
    }

    /// Until when freezes hold the step that begins next after a time. `None`: they do not.
    pub fn held_until(&self, after: Timestamp) -> Option<Timestamp> {
        let Pace::Planned(run) = &self.pace else { return None };
        let run = run.as_of(after);
        let held = run.next_step()?.clock;
        let free = PlanRun { freezes: Freezes::default(), ..run }.next_step()?.clock;
        match held {
            StepClock::Runs(at) if held != free => Some(at),
            _ => None,
        }
    }

    /// The course with these freezes from `now` on. They hold steps that have not begun by then.
    #[must_use]
    pub fn with_freezes(self, freezes: &Freezes, now: Timestamp) -> Self {
        let pace = match self.pace {
            Pace::Planned(run) => Pace::Planned(run.with_freezes(freezes, now)),
            fixed @ Pace::Fixed(_) => fixed,
        };
        Self { pace, ..self }
    }

    /// The course without freezes.
    #[must_use]
    pub(crate) fn without_freezes(self) -> Self {
        let pace = match self.pace {
            Pace::Planned(run) => Pace::Planned(PlanRun { freezes: Freezes::default(), ..run }),
            fixed @ Pace::Fixed(_) => fixed,
        };
        Self { pace, ..self }
    }

    /// For update checks: the percentage at a time, and every later step that begins automatically.
    pub fn rollout(&self, at: Timestamp) -> Rollout {
        Rollout {
            basis_points: self.basis_points(at),
            later: self.widenings(at).collect(),
            is_halted: self.hold == Hold::Halted,
            seed: self.seed.clone(),
        }
    }

    fn widenings(&self, after: Timestamp) -> impl Iterator<Item = Widening> {
        let run = match &self.pace {
            Pace::Fixed(_) => None,
            Pace::Planned(run) => Some(run.as_of(after)),
        };
        let steps = std::iter::successors(run, PlanRun::next_step).skip(1);
        steps.filter_map(|run| match run.clock {
            StepClock::Runs(at) => Some(Widening { at, to: run.present() }),
            StepClock::Stands(_) => None,
        })
    }

    /// The same course, recorded as of a time: at the step that has begun last.
    #[must_use]
    pub fn as_of(self, at: Timestamp) -> Self {
        let pace = match self.pace {
            Pace::Planned(run) => Pace::Planned(run.as_of(at)),
            fixed @ Pace::Fixed(_) => fixed,
        };
        Self { pace, ..self }
    }

    /// The course after the release was published or unpublished at a time. A plan only runs while
    /// clients can see the release, and keeps its progress.
    #[must_use]
    pub fn with_visibility(self, is_published: bool, at: Timestamp) -> Self {
        let runs = is_published && self.hold == Hold::Off;
        let Self { seed, hold, pace } = self.as_of(at);
        let pace = match pace {
            Pace::Planned(run) => Pace::Planned(run.with_clock(runs, at)),
            fixed @ Pace::Fixed(_) => fixed,
        };
        Self { seed, hold, pace }
    }

    /// The course after an action. `is_published`: whether clients can see the release.
    pub fn after(
        self,
        action: RolloutAction,
        is_published: bool,
        now: Timestamp,
    ) -> Result<Self, RolloutRefused> {
        let state = self.state(now);
        self.require(&action, state, is_published, now)?;
        let old = self.as_of(now);
        let new = match action {
            RolloutAction::Start(plan) => old.with_plan(plan),
            RolloutAction::Set(basis_points) => old.set(basis_points),
            RolloutAction::Pause => Self { hold: Hold::Paused, ..old },
            RolloutAction::Resume => Self { hold: Hold::Off, ..old },
            RolloutAction::Advance => Self { hold: Hold::Off, pace: old.pace.next_step(), ..old },
            RolloutAction::Complete => Self { hold: Hold::Off, ..old.set(BasisPoints::ALL) },
            RolloutAction::Halt => Self { hold: Hold::Halted, ..old },
        };
        Ok(new.with_visibility(is_published, now))
    }

    /// The course at the beginning of its present step, which lasts its whole time again.
    #[must_use]
    pub fn restart_step(self, at: Timestamp) -> Self {
        let Self { seed, hold, pace } = self.as_of(at);
        let pace = match pace {
            Pace::Planned(run) => Pace::Planned(run.restart(at)),
            fixed @ Pace::Fixed(_) => fixed,
        };
        Self { seed, hold, pace }
    }

    fn require(
        &self,
        action: &RolloutAction,
        state: RolloutState,
        is_published: bool,
        now: Timestamp,
    ) -> Result<(), RolloutRefused> {
        use RolloutState::{Complete, Fixed, Halted, Paused, Running};
        let is_allowed = match action {
            RolloutAction::Start(plan) => {
                let present = self.basis_points(now);
                if is_published && state != Halted && plan.step(0).to < present {
                    return Err(RolloutRefused::BelowPresent(present));
                }
                true
            }
            RolloutAction::Halt if !is_published && state != Halted => {
                return Err(RolloutRefused::NotPublished);
            }
            RolloutAction::Set(_) | RolloutAction::Halt => true,
            RolloutAction::Pause => state == Running,
            RolloutAction::Resume => matches!(state, Paused | Halted),
            RolloutAction::Advance => matches!(state, Running | Paused),
            RolloutAction::Complete => matches!(state, Fixed | Running | Paused | Complete),
        };
        if is_allowed { Ok(()) } else { Err(RolloutRefused::WrongState(state)) }
    }
}

impl Hold {
    /// A new percentage or plan ends a pause, but not a halt.
    const fn unless_paused(self) -> Self {
        match self {
            Self::Halted => Self::Halted,
            Self::Off | Self::Paused => Self::Off,
        }
    }
}

impl RolloutAction {
    /// Whether no device gets the release because of the action. `present`: the current percentage.
    pub fn is_stop(&self, present: BasisPoints) -> bool {
        match self {
            Self::Pause | Self::Halt => true,
            Self::Set(basis_points) => *basis_points < present,
            Self::Start(_) | Self::Resume | Self::Advance | Self::Complete => false,
        }
    }
}

impl Pace {
    fn next_step(self) -> Self {
        match self {
            Self::Planned(PlanRun { plan, step, .. }) => {
                let step = (step + 1).min(plan.last());
                Self::Planned(PlanRun::new(plan, step))
            }
            fixed @ Self::Fixed(_) => fixed,
        }
    }
}

#[cfg(test)]
mod tests;
