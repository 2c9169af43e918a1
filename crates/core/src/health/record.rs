//! The findings of a guard run about a release, as stored.

use serde::{Deserialize, Serialize};

use super::figures::{BASELINE_DAYS, GuardedRelease, HealthCounts};
use super::{
    Assessment, Baseline, Evidence, Exposure, FailureCause, Findings, Guard, GuardAction, Measurement,
    NoDataReason, Series, Verdict, assess,
};
use crate::audit::AuditActor;
use crate::{Timestamp, Version, is_maintenance_overdue};

/// The findings of a guard run about a release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReleaseHealth {
    /// The start of the round.
    pub since: Timestamp,
    /// When the run was made.
    pub at: Timestamp,
    /// The verdict.
    pub verdict: Verdict,
    /// See [`Assessment::is_failing`].
    #[serde(default)]
    pub is_failing: bool,
    /// The reason, as a sentence for people.
    pub why: String,
    /// Lower bound for the number of different devices that were seen with the version.
    pub devices: u64,
    /// See [`Series::Running`].
    pub running: SeriesHealth,
    /// See [`Series::Updating`].
    pub updating: SeriesHealth,
    /// The version that it is compared with in [`Series::Running`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Version>,
    /// The causes with the most reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<HealthCause>,
    /// How the round ended, if somebody let the rollout go on although it was failing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<RoundEnd>,
    /// The last earlier round in which it was failing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_round: Option<Box<Self>>,
}

/// The end of a round in which a release was failing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundEnd {
    /// The one who let the rollout go on.
    pub by: AuditActor,
    /// Their reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Failures of one series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SeriesHealth {
    /// Different devices that failed.
    pub k: u64,
    /// Device-days.
    pub n: u64,
    /// The baseline, from the first run that looked at the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<StoredBaseline>,
    /// The evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ln_e: Option<f64>,
    /// The evidence that is needed.
    pub needed: f64,
}

/// See [`Baseline`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StoredBaseline {
    /// Device-days with a failure.
    pub k: u64,
    /// Device-days.
    pub n: u64,
    /// See [`Baseline::spread`].
    pub spread: f64,
}

/// See [`FailureCause`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthCause {
    /// The kind of failure.
    pub event: String,
    /// The cause.
    pub reason: String,
    /// Reports since the first day of the round.
    pub new: u64,
    /// Reports in the week before the release.
    pub before: u64,
    /// See [`FailureCause::devices`].
    #[serde(default)]
    pub devices: u64,
    /// See [`FailureCause::versions`].
    #[serde(default)]
    pub versions: Vec<Version>,
    /// See [`FailureCause::platforms`].
    #[serde(default)]
    pub platforms: Vec<String>,
}

/// The baselines of a release. They are older than the release, so later reports do not change
/// them.
#[derive(Debug, Clone, PartialEq)]
pub struct Baselines {
    /// The version, in [`Series::Running`].
    pub version: Option<Version>,
    /// In [`Series::Running`].
    pub running: Option<Baseline>,
    /// In [`Series::Updating`].
    pub updating: Option<Baseline>,
}

impl Baselines {
    /// The baselines that an earlier run has stored, in this round or another one.
    pub fn from_health(health: &ReleaseHealth) -> Self {
        Self {
            version: health.before.clone(),
            running: health.running.baseline.map(StoredBaseline::into_baseline),
            updating: health.updating.baseline.map(StoredBaseline::into_baseline),
        }
    }
}

impl ReleaseHealth {
    /// Checks a release. Without a guard the default limits apply.
    pub fn assess(
        counts: &HealthCounts,
        subject: &GuardedRelease,
        before: &Baselines,
        guard: Option<&Guard>,
        no_data: Option<NoDataReason>,
        now: Timestamp,
    ) -> Self {
        let default = Guard::new(GuardAction::Pause);
        let findings = Findings {
            running: Measurement::new(counts.exposure(subject, Series::Running), before.running),
            updating: Measurement::new(counts.exposure(subject, Series::Updating), before.updating),
            devices: counts.seen_devices(subject),
            no_data,
            is_partial: counts.are_partial(subject),
            are_refused: counts.are_refused(subject),
        };
        let Assessment { verdict, why, is_failing, running, updating } =
            assess(guard.unwrap_or(&default), &findings);
        let causes = counts.causes(subject, before.version.as_ref());
        Self {
            since: subject.round.since,
            at: now,
            verdict,
            is_failing,
            why: why.to_string(),
            devices: findings.devices,
            running: SeriesHealth::new(findings.running, running),
            updating: SeriesHealth::new(findings.updating, updating),
            before: before.version.clone(),
            causes: causes.into_iter().map(HealthCause::from).collect(),
            end: None,
            failing_round: None,
        }
    }

    /// Keeps the last round in which the release was failing. `stored`: the findings that these replace.
    #[must_use]
    pub fn after(self, stored: Option<&Self>) -> Self {
        let failing_round = stored.and_then(|stored| stored.failing_round_before(self.since));
        let failing_round =
            failing_round.map(|round| Box::new(Self { failing_round: None, ..round.clone() }));
        Self { failing_round, ..self }
    }

    /// The findings with the end of their round.
    #[must_use]
    pub fn ended(self, by: AuditActor, reason: Option<String>) -> Self {
        Self { end: Some(RoundEnd { by, reason }), ..self }
    }

    /// The last round before the one that began at `since` in which the release was failing.
    pub fn failing_round_before(&self, since: Timestamp) -> Option<&Self> {
        if !self.is_of(since) && self.needs_attention() {
            return Some(self);
        }
        self.failing_round.as_deref()
    }

    /// Whether a person should look at the figures before more devices get the release.
    pub fn needs_attention(&self) -> bool {
        self.is_failing || self.verdict == Verdict::Unhealthy
    }

    /// The current verdict. A release counts as healthy for at most an hour after a run.
    pub fn verdict_at(&self, now: Timestamp) -> Verdict {
        let is_old = is_maintenance_overdue(self.at, now);
        if is_old && self.verdict == Verdict::Healthy { Verdict::Unknown } else { self.verdict }
    }

    /// Whether it is about the round that began at `since`.
    pub fn is_of(&self, since: Timestamp) -> bool {
        self.since == since
    }
}

impl SeriesHealth {
    fn new(measured: Measurement, evidence: Evidence) -> Self {
        let Exposure { failing, device_days } = measured.exposure;
        let baseline = measured.baseline.map(|baseline| StoredBaseline {
            k: baseline.failing,
            n: baseline.device_days,
            spread: baseline.spread,
        });
        Self { k: failing, n: device_days, baseline, ln_e: evidence.ln_e, needed: evidence.needed }
    }

    /// Failing devices per 1,000 device-days. `None`: there are no device-days.
    pub fn per_1000(&self) -> Option<f64> {
        Exposure::new(self.k, self.n).rate().map(|rate| rate * 1000.0)
    }
}

impl StoredBaseline {
    const fn into_baseline(self) -> Baseline {
        Baseline { failing: self.k, device_days: self.n, spread: self.spread }
    }

    /// Failures per 1,000 device-days. `None`: there are no device-days.
    pub fn per_1000(self) -> Option<f64> {
        self.into_baseline().rate().map(|rate| rate * 1000.0)
    }
}

impl From<FailureCause> for HealthCause {
    fn from(cause: FailureCause) -> Self {
        let FailureCause { event, reason, new, before, devices, versions, platforms } = cause;
        let (versions, platforms) = (versions.into_iter().collect(), platforms.into_iter().collect());
        Self { event: event.as_str().to_owned(), reason, new, before, devices, versions, platforms }
    }
}

/// The first day whose counts a run needs for a release: the first one that it is compared with.
pub fn first_day(subject: &GuardedRelease) -> crate::Day {
    let since = crate::Day::of(subject.round.since);
    let before = crate::Day::of(subject.offered_at).minus(BASELINE_DAYS);
    since.min(before)
}

#[cfg(test)]
mod tests;
