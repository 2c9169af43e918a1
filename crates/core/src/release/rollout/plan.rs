//! Plans: rollouts that grow automatically.

use std::fmt;
use std::str::FromStr;

use super::{BasisPoints, HoursFault, WorkingHours};
use crate::Timestamp;

/// Maximum number of steps of a plan.
pub const MAX_PLAN_STEPS: usize = 50;
const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// Separates the working hours from the steps in the text form.
const BEGIN: char = '@';
/// Minimum and maximum duration of a step in seconds: five minutes and 90 days.
const STEP_SECONDS: std::ops::RangeInclusive<i64> = 5 * MINUTE..=90 * DAY;

/// The duration of a step of a plan, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StepLength(i64);

impl StepLength {
    /// From seconds. `None`: shorter than five minutes, or longer than 90 days.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        STEP_SECONDS.contains(&seconds).then_some(Self(seconds))
    }

    /// In seconds.
    pub const fn seconds(self) -> i64 {
        self.0
    }

    /// In milliseconds.
    pub(super) const fn millis(self) -> i64 {
        self.0 * 1000
    }
}

/// Parses a whole number of minutes, hours or days: `30m`, `12h`, `1d`.
impl FromStr for StepLength {
    type Err = PlanFault;

    fn from_str(text: &str) -> Result<Self, PlanFault> {
        let unit = text.chars().next_back().and_then(|unit| match unit {
            'm' => Some(MINUTE),
            'h' => Some(HOUR),
            'd' => Some(DAY),
            _ => None,
        });
        let number = || text.get(..text.len() - 1)?.parse::<u32>().ok();
        let seconds = unit.and_then(|unit| i64::from(number()?).checked_mul(unit));
        seconds.and_then(Self::from_seconds).ok_or(PlanFault::Length)
    }
}

/// Formats it in the largest unit that makes it a whole number. Seconds beyond whole minutes are
/// dropped.
impl fmt::Display for StepLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, letter) = [(DAY, 'd'), (HOUR, 'h')]
            .into_iter()
            .find(|(unit, _)| self.0 % unit == 0)
            .unwrap_or((MINUTE, 'm'));
        write!(f, "{}{letter}", self.0 / unit)
    }
}

/// One step of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanStep {
    /// The part of all devices that may have the release from then on.
    pub to: BasisPoints,
    /// `None`: until somebody ends the step.
    pub lasts: Option<StepLength>,
}

/// The steps of a rollout: at least one, increasing, and the last one is everybody, without an end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    steps: Vec<PlanStep>,
    /// When steps after the first may begin automatically. `None`: at any time.
    hours: Option<WorkingHours>,
}

/// The problem with a step of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlanFault {
    /// The step is not an object, or has other keys.
    #[error("it has the keys percent and for")]
    Keys,
    /// The percentage is invalid.
    #[error("the percentage is 0 to 100, with up to two decimals")]
    Percentage,
    /// The step is not larger than the one before.
    #[error("the percentage is not above that of the step before")]
    NotRising,
    /// The duration is invalid.
    #[error("a step lasts 5m to 90d, in whole minutes (m), hours (h) or days (d)")]
    Length,
    /// The last step is not everybody.
    #[error("the last step is 100 percent")]
    NotComplete,
    /// The last step has a duration.
    #[error("the last step has no end")]
    Ends,
}

/// Why a list of steps is not a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPlan {
    /// There are no steps, or more than [`MAX_PLAN_STEPS`].
    #[error("invalid plan: it has 1 to {MAX_PLAN_STEPS} steps")]
    Steps,
    /// A step is invalid.
    #[error("invalid plan: step {place}: {fault}")]
    Step {
        /// Its number, from 1.
        place: usize,
        /// The problem.
        fault: PlanFault,
    },
    /// The plan is an object with other keys than its two.
    #[error("invalid plan: it has the keys steps and begin")]
    Keys,
    /// The working hours are invalid.
    #[error("invalid plan: begin: {0}")]
    Begin(#[from] HoursFault),
}

impl Plan {
    /// Validates a list of steps.
    pub fn new(steps: Vec<PlanStep>) -> Result<Self, InvalidPlan> {
        if steps.is_empty() || steps.len() > MAX_PLAN_STEPS {
            return Err(InvalidPlan::Steps);
        }
        let mut before = None;
        for (at, step) in steps.iter().enumerate() {
            let is_last = at + 1 == steps.len();
            let fault = if before.is_some_and(|before| step.to <= before) {
                Some(PlanFault::NotRising)
            } else if is_last && !step.to.is_all() {
                Some(PlanFault::NotComplete)
            } else if is_last && step.lasts.is_some() {
                Some(PlanFault::Ends)
            } else {
                None
            };
            if let Some(fault) = fault {
                return Err(InvalidPlan::Step { place: at + 1, fault });
            }
            before = Some(step.to);
        }
        Ok(Self { steps, hours: None })
    }

    /// The plan with steps that begin only in these hours.
    #[must_use]
    pub fn with_hours(self, hours: Option<WorkingHours>) -> Self {
        Self { hours, ..self }
    }

    /// The steps.
    pub fn steps(&self) -> &[PlanStep] {
        &self.steps
    }

    /// When steps after the first may begin automatically. `None`: at any time.
    pub const fn hours(&self) -> Option<&WorkingHours> {
        self.hours.as_ref()
    }

    /// When a step begins that is due at a time.
    pub(super) fn begin(&self, due: Timestamp) -> Timestamp {
        self.hours.map_or(due, |hours| hours.at_or_after(due))
    }

    /// The part of all devices in the first step.
    pub fn first(&self) -> BasisPoints {
        self.step(0).to
    }

    /// The step at an index, or the last one if there are fewer.
    pub(super) fn step(&self, at: usize) -> PlanStep {
        let last = || self.steps.last().copied();
        self.steps.get(at).copied().or_else(last).unwrap_or(PlanStep { to: BasisPoints::NONE, lasts: None })
    }

    /// The place of the last step.
    pub(super) fn last(&self) -> usize {
        self.steps.len().saturating_sub(1)
    }
}

/// Parses `0.1:12h,5,20:1d,100`: percentages, each with the duration of its step if it has one.
/// Working hours may follow: `1:1d,100 @ Mon-Thu 09:00-16:00 +01:00`.
impl FromStr for Plan {
    type Err = InvalidPlan;

    fn from_str(text: &str) -> Result<Self, InvalidPlan> {
        let (steps, hours) = match text.split_once(BEGIN) {
            Some((steps, hours)) => (steps, Some(hours.parse()?)),
            None => (text, None),
        };
        let steps = steps.split(',').enumerate().map(|(at, step)| {
            let (percent, lasts) = match step.trim().split_once(':') {
                Some((percent, lasts)) => (percent, Some(lasts)),
                None => (step.trim(), None),
            };
            let faulty = |fault| InvalidPlan::Step { place: at + 1, fault };
            let to = percent.parse().map_err(|_| faulty(PlanFault::Percentage))?;
            let lasts = lasts.map(StepLength::from_str).transpose().map_err(faulty)?;
            Ok(PlanStep { to, lasts })
        });
        Ok(Self::new(steps.collect::<Result<_, InvalidPlan>>()?)?.with_hours(hours))
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, PlanStep { to, lasts }) in self.steps.iter().enumerate() {
            let separator = if at > 0 { "," } else { "" };
            write!(f, "{separator}{to}")?;
            if let Some(lasts) = lasts {
                write!(f, ":{lasts}")?;
            }
        }
        self.hours.iter().try_for_each(|hours| write!(f, " {BEGIN} {hours}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_read_as_written() {
        for text in ["100", "0.1:12h,5,20:1d,100", "0:5m,1:90m,50:90d,100"] {
            assert_eq!(text.parse::<Plan>().unwrap().to_string(), text);
        }
        for text in ["1:1d,100 @ Mon-Thu 09:00-16:00 +01:00", "100 @ Mon,Wed 00:00-24:00 -08:00"] {
            assert_eq!(text.parse::<Plan>().unwrap().to_string(), text);
        }
        assert_eq!("1:60m, 100".parse::<Plan>().unwrap().to_string(), "1:1h,100");
    }

    #[test]
    fn a_wrong_step_is_named() {
        let many = "1,".repeat(51) + "100";
        for (text, error) in [
            ("", "step 1: the percentage is 0 to 100, with up to two decimals"),
            ("5,x,100", "step 2: the percentage is 0 to 100, with up to two decimals"),
            ("5,5,100", "step 2: the percentage is not above that of the step before"),
            ("20,5,100", "step 2: the percentage is not above that of the step before"),
            ("5,20", "step 2: the last step is 100 percent"),
            ("5,100:1d", "step 2: the last step has no end"),
            ("5:4m,100", "step 1: a step lasts 5m to 90d, in whole minutes (m), hours (h) or days (d)"),
            ("5:91d,100", "step 1: a step lasts 5m to 90d, in whole minutes (m), hours (h) or days (d)"),
            ("5:1.5h,100", "step 1: a step lasts 5m to 90d, in whole minutes (m), hours (h) or days (d)"),
            ("5:,100", "step 1: a step lasts 5m to 90d, in whole minutes (m), hours (h) or days (d)"),
            ("5:ä,100", "step 1: a step lasts 5m to 90d, in whole minutes (m), hours (h) or days (d)"),
            (&many, "it has 1 to 50 steps"),
            ("1:1d,100 @", "begin: it is like Mon-Thu 09:00-16:00 +01:00"),
            ("1:1d,100 @ Mon 16:00-09:00 +01:00", "begin: from is before to"),
            ("1:1d @ Mon 09:00-16:00 +01:00", "step 1: the last step is 100 percent"),
        ] {
            assert_eq!(
                text.parse::<Plan>().unwrap_err().to_string(),
                format!("invalid plan: {error}"),
                "{text}"
            );
        }
    }
}
