//! Bodies of guards: the health of releases, and what is done about it.

use serde::{Deserialize, Serialize};
use serde_json::Number;
use spindrift_core::health::{Thousandths, Verdict};
use spindrift_core::{Guard, GuardAction, Id};

use crate::AuditActorBody;

/// The step against an unhealthy release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GuardActionName {
    /// Pauses the plan. Devices that may have the release still get it.
    Pause,
    /// Halts the rollout. No further device gets the release.
    Halt,
}

/// The order to stop a release by itself, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardBody {
    /// The step.
    pub on_unhealthy: GuardActionName,
    /// The chance of a false alarm, 0.001 to 0.1; 0.01 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub alpha: Option<Number>,
    /// How much more often than before a release may fail, 1 to 10; 1.25 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub factor: Option<Number>,
    /// Failing devices below which nothing counts as evidence, 3 to 1,000; 5 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_failing: Option<u32>,
    /// Failures of running copies per 1,000 device-days that are still healthy, 0.001 to 1,000. Replaces the comparison with the
    /// version before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub max_per_1000: Option<Number>,
    /// The release is unhealthy once more devices than these have failed, 1 to 1,000,000. Needs failure reports only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_failing: Option<u32>,
}

impl From<GuardAction> for GuardActionName {
    fn from(action: GuardAction) -> Self {
        match action {
            GuardAction::Pause => Self::Pause,
            GuardAction::Halt => Self::Halt,
        }
    }
}

impl From<Verdict> for VerdictName {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Healthy => Self::Healthy,
            Verdict::Unhealthy => Self::Unhealthy,
            Verdict::Unknown => Self::Unknown,
        }
    }
}

impl From<Guard> for GuardBody {
    fn from(guard: Guard) -> Self {
        Self {
            on_unhealthy: guard.on_unhealthy.into(),
            alpha: Some(guard.alpha.to_number()),
            factor: Some(guard.factor.to_number()),
            min_failing: Some(guard.min_failing),
            max_per_1000: guard.max_per_1000.map(Thousandths::to_number),
            max_failing: guard.max_failing,
        }
    }
}

impl GuardBody {
    /// A guard with the default limits.
    pub const fn new(on_unhealthy: GuardActionName) -> Self {
        Self {
            on_unhealthy,
            alpha: None,
            factor: None,
            min_failing: None,
            max_per_1000: None,
            max_failing: None,
        }
    }
}

/// A verdict about a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum VerdictName {
    /// At least 200 devices were seen, and they do not fail more often than is allowed.
    Healthy,
    /// There is evidence that it fails more often, or more devices than `max_failing` failed.
    Unhealthy,
    /// Neither is known.
    Unknown,
}

/// Failures before a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BaselineBody {
    /// The version, in `running`. In `updating` it is all older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Device-days with a failure, in the week before the release was first visible.
    pub k: u64,
    /// Device-days in that week.
    pub n: u64,
    /// Failures per 1,000 device-days.
    pub per_1000: Option<f64>,
}

/// Failures of one kind: copies that do not run, or that do not get to the version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeriesBody {
    /// Different devices that failed since `since`.
    pub k: u64,
    /// Device-days since then: the number of devices of each day, added up.
    pub n: u64,
    /// Failing devices per 1,000 device-days.
    pub per_1000: Option<f64>,
    /// The figures from before the release. `None`: there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineBody>,
    /// The natural logarithm of the evidence that they fail more often. `None`: there is nothing to compare with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ln_e: Option<f64>,
    /// The evidence that makes the release unhealthy.
    pub needed: f64,
}

/// A cause of failures of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HealthCauseBody {
    /// The kind of failure.
    #[serde(rename = "type")]
    pub event: String,
    /// The reason.
    pub reason: String,
    /// Reports since the day on which `since` lies: in `running` of this version, in `updating` of older ones.
    pub new: u64,
    /// Reports in the week before the release was first visible, of the version that it is compared with.
    pub before: u64,
    /// Devices whose first failure since `since` it was.
    pub devices: u64,
    /// The versions that reported it. Failed updates are reported by the version that runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub versions: Vec<String>,
    /// The platforms of these reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub platforms: Vec<String>,
}

/// Devices of a day and a platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HealthDayBody {
    /// `YYYY-MM-DD` in UTC.
    pub date: String,
    /// The platform; empty if the owner uses none.
    pub platform: String,
    /// Devices that were seen with this version.
    pub devices: u64,
    /// Devices with this version that crashed or did not start. May be more than were seen.
    pub failing: u64,
    /// Devices that were seen with the version `before`.
    pub devices_before: u64,
    /// Devices with that version that crashed or did not start.
    pub failing_before: u64,
}

/// The findings of a guard run at this moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurrentHealthBody {
    /// Whether it is healthy.
    pub verdict: VerdictName,
    /// Why, as a sentence for people.
    pub why: String,
    /// Whether it is unhealthy, or so many devices fail that a person should look before more get it.
    pub failing: bool,
    /// Different devices that were seen with the version.
    pub devices: u64,
    /// Crashes and failed starts of this version.
    pub running: SeriesBody,
    /// Failed updates of older versions.
    pub updating: SeriesBody,
    /// The causes with the most reports, at most 20.
    pub causes: Vec<HealthCauseBody>,
    /// The older version in `days`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// From a week before the release was first visible until today, oldest first; at most 28 days.
    pub days: Vec<HealthDayBody>,
}

/// A round in which the release was failing, until somebody let its rollout go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailingRoundBody {
    /// When it began, RFC 3339.
    pub since: String,
    /// The time of the figures, RFC 3339.
    pub at: String,
    /// The verdict.
    pub verdict: VerdictName,
    /// Why, as a sentence for people.
    pub why: String,
    /// Different devices that were seen with the version.
    pub devices: u64,
    /// Crashes and failed starts of this version.
    pub running: SeriesBody,
    /// Failed updates of older versions.
    pub updating: SeriesBody,
    /// The one who let the rollout go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<AuditActorBody>,
    /// Their reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Answer of `GET /releases/{id}/health`: what the last guard run found, and the present figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseHealthBody {
    /// Since when failures count, RFC 3339: since the release was published, or its rollout was last let go on. `None`: it is not
    /// published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// When the guard last looked at it, RFC 3339. `None`: not since `since`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Whether it is healthy.
    pub verdict: VerdictName,
    /// Why, as a sentence for people.
    pub why: String,
    /// The order for a guard run that finds it unhealthy. `None`: do nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<GuardBody>,
    /// Different devices that were seen with the version.
    pub devices: u64,
    /// Crashes and failed starts of this version.
    pub running: SeriesBody,
    /// Failed updates of older versions.
    pub updating: SeriesBody,
    /// The causes with the most reports, at most 20.
    pub causes: Vec<HealthCauseBody>,
    /// The present figures, whether or not a guard run has looked. `None`: its failures no longer count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<CurrentHealthBody>,
    /// The last round before `since` in which it was failing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_round: Option<FailingRoundBody>,
}

/// A release that a guard run stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardActedBody {
    /// The release.
    pub id: Id,
    /// Its application.
    pub app: String,
    /// The channel; empty if the owner uses none.
    pub channel: String,
    /// The version.
    pub version: String,
    /// The step that was taken.
    pub action: GuardActionName,
    /// Why, as a sentence for people.
    pub why: String,
}

/// Answer of `POST /guard/run`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardRunBody {
    /// Releases that it looked at.
    pub looked_at: u64,
    /// Releases that it stopped.
    pub acted: Vec<GuardActedBody>,
    /// Releases that are unhealthy.
    pub unhealthy: u64,
    /// Releases of which nothing is known yet.
    pub unknown: u64,
    /// Releases that it could not look at. The service's log says why.
    pub failed: u64,
    /// Releases that it did not look at, because there are too many for one run. The next run begins with them.
    pub left: u64,
}
