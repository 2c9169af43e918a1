//! The columns that hold the course of a release's rollout.
//!
//! `rollout_bp` holds the part reached as of the last write, even if a plan determines it, because statements
//! read it. It keeps its value while the rollout is halted.

use serde::{Deserialize, Serialize};
use spindrift_core::{Course, Freezes, Hold, Pace, Plan, PlanRun, StepClock, Timestamp};

use crate::row::{Row, to_json};
use crate::{SqlError, SqlValue};

/// The columns of a course, for the alias `r` of `offers`.
pub(crate) const COLUMNS: &str = "r.rollout_bp, r.rollout_state, r.rollout_plan, r.rollout_seed";

/// The column `rollout_plan`.
#[derive(Serialize, Deserialize)]
struct PlanRow {
    plan: Plan,
    step: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    elapsed: Option<i64>,
    #[serde(default, skip_serializing_if = "Freezes::is_empty")]
    freezes: Freezes,
}

/// Reads a row with [`COLUMNS`].
pub(crate) fn course(row: &Row<'_>) -> Result<Course, SqlError> {
    let hold = match row.get::<String>("rollout_state")?.as_str() {
        "paused" => Hold::Paused,
        "halted" => Hold::Halted,
        _ => Hold::Off,
    };
    let pace = match row.optional_json::<PlanRow>("rollout_plan")? {
        Some(PlanRow { plan, step, since, elapsed, freezes }) => {
            let clock = since.map_or(StepClock::Stands(elapsed.unwrap_or(0)), StepClock::Runs);
            Pace::Planned(PlanRun { plan, step, clock, freezes })
        }
        None => Pace::Fixed(row.get("rollout_bp")?),
    };
    Ok(Course { seed: row.get("rollout_seed")?, hold, pace })
}

/// The values of the columns `rollout_bp`, `rollout_state` and `rollout_plan`.
pub(crate) fn values(course: &Course, now: Timestamp) -> Result<[SqlValue; 3], SqlError> {
    let state = match course.hold {
        Hold::Off => "on",
        Hold::Paused => "paused",
        Hold::Halted => "halted",
    };
    Ok([course.basis_points(now).into(), state.into(), plan(course)?.into()])
}

/// The value of the column `rollout_plan`.
pub(crate) fn plan(course: &Course) -> Result<Option<String>, SqlError> {
    let Pace::Planned(PlanRun { plan, step, clock, freezes }) = &course.pace else { return Ok(None) };
    let (since, elapsed) = match clock {
        StepClock::Runs(since) => (Some(*since), None),
        StepClock::Stands(elapsed) => (None, Some(*elapsed)),
    };
    let (plan, freezes) = (plan.clone(), freezes.clone());
    to_json(&PlanRow { plan, step: *step, since, elapsed, freezes }).map(Some)
}
