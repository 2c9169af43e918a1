//! Plans of rollouts.

use std::fmt;

use serde::{Deserialize, Serialize};
use spindrift_core::{Plan, PlanStep, WorkingHours};

use crate::Percentage;

/// A step of a rollout plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanStepBody {
    /// Percentage of devices from then on. It rises from step to step; the last one is 100.
    pub percent: Percentage,
    /// How long the step lasts: `5m` to `90d`, in whole minutes, hours or days. Without it, until the action `advance`. The
    /// last step has none.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<String>,
}

impl PlanStepBody {
    /// The steps of a plan.
    pub fn of(plan: &Plan) -> Vec<Self> {
        let step = |step: &PlanStep| Self {
            percent: Percentage(step.to),
            lasts: step.lasts.map(|lasts| lasts.to_string()),
        };
        plan.steps().iter().map(step).collect()
    }
}

/// A plan: its steps, or an object if steps may begin only in some hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum PlanBody {
    /// Up to 50 steps, which begin at any time.
    Steps(Vec<PlanStepBody>),
    /// Steps that begin only in some hours.
    WithHours {
        /// Up to 50 steps.
        steps: Vec<PlanStepBody>,
        /// When a step after the first may begin by itself.
        begin: WorkingHoursBody,
    },
}

/// The hours in which steps of a plan may begin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkingHoursBody {
    /// Days of the week: `Mon-Thu`, `Mon,Wed,Fri`.
    pub days: String,
    /// The beginning, like `09:00`.
    pub from: String,
    /// The end, later on the same day, like `16:00`. At most `24:00`.
    pub to: String,
    /// The distance of these times from UTC, like `+01:00`.
    pub offset: String,
}

impl PlanBody {
    /// When steps after the first may begin by themselves. `None`: at any time.
    pub const fn begin(&self) -> Option<&WorkingHoursBody> {
        match self {
            Self::Steps(_) => None,
            Self::WithHours { begin, .. } => Some(begin),
        }
    }

    /// Its steps.
    pub fn steps(&self) -> &[PlanStepBody] {
        match self {
            Self::Steps(steps) | Self::WithHours { steps, .. } => steps,
        }
    }
}

/// As in the text form of a plan: `Mon-Thu 09:00-16:00 +01:00`.
impl fmt::Display for WorkingHoursBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { days, from, to, offset } = self;
        write!(f, "{days} {from}-{to} {offset}")
    }
}

impl From<&Plan> for PlanBody {
    fn from(plan: &Plan) -> Self {
        let steps = PlanStepBody::of(plan);
        match plan.hours() {
            Some(hours) => Self::WithHours { steps, begin: hours.into() },
            None => Self::Steps(steps),
        }
    }
}

impl From<&WorkingHours> for WorkingHoursBody {
    fn from(hours: &WorkingHours) -> Self {
        Self { days: hours.days(), from: hours.from(), to: hours.to(), offset: hours.offset() }
    }
}
