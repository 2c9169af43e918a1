//! The verdict about a release.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Baseline, Evidence, Exposure, Guard, Series};

/// How many devices must be seen with a version before it counts as healthy.
pub const MIN_SEEN_DEVICES: u64 = 200;

/// How many devices may fail per device-day if a release cannot be compared with anything: a hundredth. Stores for
/// phones warn their developers from about this rate on.
const MAX_USUAL_RATE: f64 = 0.01;

/// Whether a release is healthy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Enough devices were seen, and they fail no more often than allowed.
    Healthy,
    /// There is evidence that it fails more often.
    Unhealthy,
    /// There is not enough data for either.
    Unknown,
}

/// Failures of one series, and what they are compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measurement {
    /// In the round.
    pub exposure: Exposure,
    /// Before the release. `None`: there is nothing to compare with.
    pub baseline: Option<Baseline>,
}

/// Why the figures are meaningless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoDataReason {
    /// The application does not accept failure reports.
    ReportsOff,
    /// The service does not count devices.
    TelemetryOff,
    /// No device of the application was counted since the day before.
    NoDevices,
    /// The service has deleted counts of the round.
    Forgotten,
}

/// The figures of a release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Findings {
    /// See [`Series::Running`].
    pub running: Measurement,
    /// See [`Series::Updating`].
    pub updating: Measurement,
    /// Lower bound for the number of different devices that were seen with the version.
    pub devices: u64,
    /// Set if the figures are meaningless.
    pub no_data: Option<NoDataReason>,
    /// Whether some failures are missing, because the application has its maximum number of groups.
    /// Then a low number of failures means nothing.
    pub is_partial: bool,
    /// Whether a limit refused reports of the round. Then too, a low number of failures means
    /// nothing.
    pub are_refused: bool,
}

/// The reason of a verdict. Its text is a sentence for people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum VerdictReason {
    /// More devices failed than the guard allows.
    TooManyFailing(u64, u32),
    /// There is evidence in a series.
    MoreFailures(Series, Measurement),
    /// More failures of running copies than the guard allows, per 1,000 device-days.
    AboveMaximum(Exposure, f64),
    /// Figures are missing.
    NoData(NoDataReason),
    /// Not enough devices were seen: the actual number.
    FewDevices(u64),
    /// No older version was seen often enough.
    NothingBefore,
    /// The rate is higher, but that may be chance.
    NotSure,
    /// Some failures are missing.
    NotAll,
    /// Reports were refused.
    Refused,
    /// It fails no more often than is allowed.
    AsBefore,
}

/// The verdict, its reason, and the evidence of both series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assessment {
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub why: VerdictReason,
    /// Whether so many devices fail that a person should look before more get it. Evidence is not
    /// needed for this.
    pub is_failing: bool,
    /// Evidence in [`Series::Running`].
    pub running: Evidence,
    /// Evidence in [`Series::Updating`].
    pub updating: Evidence,
}

/// Assesses a release by its figures.
pub fn assess(guard: &Guard, findings: &Findings) -> Assessment {
    let max = guard.max_per_1000.map(super::Thousandths::to_f64);
    let Findings { running, updating, .. } = *findings;
    // Without counts of devices, failures cannot be compared.
    let baseline = |measured: Measurement| measured.baseline.filter(|_| findings.no_data.is_none());
    let in_running =
        Evidence::of(running.exposure, baseline(running), guard, max.filter(|_| findings.no_data.is_none()));
    let in_updating = Evidence::of(updating.exposure, baseline(updating), guard, None);
    let (verdict, why) = verdict(guard, findings, max, in_running, in_updating);
    let is_failing = verdict == Verdict::Unhealthy || is_failing(guard, findings);
    Assessment { verdict, why, is_failing, running: in_running, updating: in_updating }
}

/// Whether more devices fail in a series than is allowed, even if that may be chance.
fn is_failing(guard: &Guard, findings: &Findings) -> bool {
    // Rates mean nothing without counts of devices. If no device asks any more, all of them may be failing.
    if matches!(findings.no_data, Some(NoDataReason::TelemetryOff | NoDataReason::Forgotten)) {
        return false;
    }
    let is_above = |measured: Measurement, max: Option<f64>| {
        let before =
            measured.baseline.and_then(Baseline::upper_rate).map(|rate| rate * guard.factor.to_f64());
        let allowed = max.map(|max| max / 1000.0).or(before).unwrap_or(MAX_USUAL_RATE);
        measured.exposure.failing >= u64::from(guard.min_failing)
            && measured.exposure.rate().is_some_and(|rate| rate > allowed)
    };
    let max = guard.max_per_1000.map(super::Thousandths::to_f64);
    is_above(findings.running, max) || is_above(findings.updating, None)
}

fn verdict(
    guard: &Guard,
    findings: &Findings,
    max: Option<f64>,
    in_running: Evidence,
    in_updating: Evidence,
) -> (Verdict, VerdictReason) {
    let Findings { running, updating, devices, no_data, is_partial, are_refused } = *findings;
    let failing = running.exposure.failing.max(updating.exposure.failing);
    if let Some(max_failing) = guard.max_failing.filter(|max| failing > u64::from(*max)) {
        return (Verdict::Unhealthy, VerdictReason::TooManyFailing(failing, max_failing));
    }
    let is_evident = |measured: Measurement, evidence: Evidence| {
        measured.exposure.failing >= u64::from(guard.min_failing) && evidence.is_enough()
    };
    if is_evident(running, in_running) {
        let why = match max {
            Some(max) => VerdictReason::AboveMaximum(running.exposure, max),
            None => VerdictReason::MoreFailures(Series::Running, running),
        };
        return (Verdict::Unhealthy, why);
    }
    if is_evident(updating, in_updating) {
        return (Verdict::Unhealthy, VerdictReason::MoreFailures(Series::Updating, updating));
    }
    if are_refused {
        return (Verdict::Unknown, VerdictReason::Refused);
    }
    if let Some(no_data) = no_data {
        return (Verdict::Unknown, VerdictReason::NoData(no_data));
    }
    if devices < MIN_SEEN_DEVICES {
        return (Verdict::Unknown, VerdictReason::FewDevices(devices));
    }
    let before = running.baseline.and_then(Baseline::rate).map(|rate| rate * guard.factor.to_f64());
    let Some(allowed) = max.map(|max| max / 1000.0).or(before) else {
        return (Verdict::Unknown, VerdictReason::NothingBefore);
    };
    if running.exposure.rate().is_some_and(|rate| rate > allowed) {
        return (Verdict::Unknown, VerdictReason::NotSure);
    }
    if is_partial {
        return (Verdict::Unknown, VerdictReason::NotAll);
    }
    (Verdict::Healthy, VerdictReason::AsBefore)
}

impl fmt::Display for VerdictReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyFailing(failing, max) => {
                write!(f, "{failing} devices failed. The guard allows {max}.")
            }
            Self::MoreFailures(series, Measurement { exposure, baseline }) => {
                let failed = match series {
                    Series::Running => "failed",
                    Series::Updating => "failed to update",
                };
                write!(f, "{} devices {failed} in {} device-days", exposure.failing, exposure.device_days)?;
                match baseline {
                    Some(Baseline { failing, device_days, .. }) => {
                        write!(f, "; {failing} in {device_days} before.")
                    }
                    None => f.write_str("."),
                }
            }
            Self::AboveMaximum(Exposure { failing, device_days }, max) => {
                write!(
                    f,
                    "{failing} devices failed in {device_days} device-days. The guard allows {max} in 1000."
                )
            }
            Self::NoData(no_data) => no_data.fmt(f),
            Self::FewDevices(devices) => {
                write!(f, "Too few devices: {devices} of {MIN_SEEN_DEVICES} were seen with this version.")
            }
            Self::NothingBefore => {
                f.write_str("There is nothing to compare with: no older version had enough devices.")
            }
            Self::NotSure => f.write_str("It fails more often than is allowed, but that may be chance."),
            Self::NotAll => f.write_str(
                "The application has reached its maximum of failure groups, so new failures cannot be assigned to a version.",
            ),
            Self::Refused => f.write_str(
                "Failure reports about this release were refused by a rate limit, so some failures may be missing.",
            ),
            Self::AsBefore => f.write_str("It does not fail more often than is allowed."),
        }
    }
}

impl fmt::Display for NoDataReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReportsOff => "The application takes no failure reports.",
            Self::TelemetryOff => "The service does not count devices.",
            Self::NoDevices => "No device was counted since yesterday.",
            Self::Forgotten => "Counts of devices were deleted since the rollout began.",
        })
    }
}

#[cfg(test)]
mod tests;
