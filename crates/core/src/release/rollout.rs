//! Staged rollouts: which devices may have a release, and when more may.

mod basis_points;
mod course;
mod freezes;
mod hours;
mod plan;
mod plan_form;
mod plan_run;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use basis_points::{BasisPoints, InvalidPercentage};
pub use course::{Course, Hold, Pace, RolloutAction, RolloutRefused, RolloutState};
pub use freezes::{Freeze, Freezes, MAX_FREEZE_SECONDS, MAX_FREEZES};
pub use hours::{HoursFault, WorkingHours};
pub use plan::{InvalidPlan, MAX_PLAN_STEPS, Plan, PlanFault, PlanStep, StepLength};
pub use plan_form::percentage;
pub use plan_run::{PlanRun, StepClock};

use crate::Timestamp;

/// How far a release is rolled out from a time on, as update checks need it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rollout {
    /// The part of all devices at the beginning.
    pub basis_points: BasisPoints,
    /// Steps that begin automatically, in order. Each is larger than the previous one.
    pub later: Vec<Widening>,
    /// Whether no further device may have the release.
    pub is_halted: bool,
    /// Gives each release its own order of devices.
    pub seed: String,
}

/// A step of a rollout that begins automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Widening {
    /// When it begins.
    pub at: Timestamp,
    /// The part of all devices from then on.
    pub to: BasisPoints,
}

impl Rollout {
    /// A rollout to everybody, or to a fixed part of the devices.
    pub const fn fixed(basis_points: BasisPoints, seed: String) -> Self {
        Self { basis_points, later: Vec::new(), is_halted: false, seed }
    }

    /// The percentage at a time, even while the rollout is halted.
    pub fn basis_points(&self, at: Timestamp) -> BasisPoints {
        let begun = self.later.iter().take_while(|step| step.at <= at);
        begun.last().map_or(self.basis_points, |step| step.to)
    }

    /// The part of all devices that may have the release at a time: none while it is halted.
    pub fn offered(&self, at: Timestamp) -> BasisPoints {
        if self.is_halted { BasisPoints::NONE } else { self.basis_points(at) }
    }

    /// Whether every device may have the release.
    pub fn is_full(&self, at: Timestamp) -> bool {
        self.offered(at).is_all()
    }

    /// Whether the device may have the release: whether its position is below the rollout's part.
    /// So a larger part only adds devices.
    pub fn admits(&self, device_id: &str, at: Timestamp) -> bool {
        self.offered(at).admits(device_id, &self.seed)
    }

    /// A rollout to every device that one of two rollouts of the same release admits. A halt
    /// affects only one of them.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self.is_halted, other.is_halted) {
            (true, false) => other,
            (false, true) => self,
            _ => self.and_wider(&other),
        }
    }

    fn and_wider(self, other: &Self) -> Self {
        let at = |time| self.basis_points(time).max(other.basis_points(time));
        let mut times: Vec<Timestamp> = self.later.iter().chain(&other.later).map(|step| step.at).collect();
        times.sort_unstable();
        times.dedup();
        let mut present = self.basis_points.max(other.basis_points);
        let basis_points = present;
        let mut later = Vec::with_capacity(times.len());
        for time in times {
            let to = at(time);
            if to > present {
                later.push(Widening { at: time, to });
                present = to;
            }
        }
        Self { basis_points, later, ..self }
    }

    /// When the next step begins after a time.
    pub fn next_change(&self, after: Timestamp) -> Option<Timestamp> {
        let times = self.later.iter().map(|step| step.at).filter(|at| *at > after && !self.is_halted);
        times.min()
    }
}

impl BasisPoints {
    /// Whether a device is in this part of the order that a seed determines.
    pub fn admits(self, device_id: &str, seed: &str) -> bool {
        self.is_all() || position(device_id, seed) < self.get()
    }
}

/// The position of a device in a release's order, 0 to 9,999. With h, the first 8 bytes of
/// SHA-256(`device_id:seed`), big-endian, it is (h mod 100) x 100 + (h div 100) mod 100. So the
/// devices of the first n percent are those with h mod 100 < n.
pub fn position(device_id: &str, seed: &str) -> u16 {
    let digest = Sha256::new().chain_update(device_id).chain_update(":").chain_update(seed).finalize();
    let h = digest.iter().take(8).fold(0_u64, |n, b| (n << 8) | u64::from(*b));
    u16::try_from((h % 100) * 100 + (h / 100) % 100).unwrap_or(0)
}

#[cfg(test)]
mod tests;
