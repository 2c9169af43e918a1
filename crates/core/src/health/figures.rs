//! Turns counts into findings: what counts for a release, and what it is compared with.

use std::collections::BTreeMap;

use super::{Baseline, Exposure, Measurement, MissedReports, Round, Series};
use crate::{Day, Days, EventType, OTHER_GROUP, Timestamp, Version};

/// Number of days before a release that it is compared with.
pub(super) const BASELINE_DAYS: i64 = 7;
/// How many device-days an older version needs in these days, so that a release is compared with
/// it.
pub(super) const MIN_BASELINE_DEVICE_DAYS: u64 = 200;

/// A group of failure reports that is not muted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupFigures {
    /// The version that failed.
    pub version: Version,
    /// Its channel, as named by the client.
    pub channel: String,
    /// Its platform, as named by the client.
    pub platform: String,
    /// The kind of failure.
    pub event: EventType,
    /// The cause.
    pub reason: String,
    /// Reports by day.
    pub reports: BTreeMap<i64, u64>,
    /// The number of devices by day whose first report of the day about the version and series is
    /// in this group.
    pub failing_days: BTreeMap<i64, u64>,
    /// Like `failing_days`, by round and set of devices: `<beginning>:<release>:<number of the
    /// set>`.
    pub failing_rounds: BTreeMap<String, u64>,
}

/// Devices of one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceDay {
    /// The day.
    pub day: i64,
    /// The version. `None`: a version that is not watched.
    pub version: Option<Version>,
    /// The channel; empty if the owner uses none.
    pub channel: String,
    /// The platform; empty if the owner uses none.
    pub platform: String,
    /// Whether these devices were up to date.
    pub is_latest: bool,
    /// Number of devices.
    pub devices: u64,
}

/// A release that a guard run checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardedRelease {
    /// Its version.
    pub version: Version,
    /// The names of the owner's channels whose clients are not offered it.
    pub unreached: Vec<String>,
    /// When clients first could see it.
    pub offered_at: Timestamp,
    /// Its round.
    pub round: Round,
}

/// All counts of an application.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HealthCounts {
    /// Failures.
    pub groups: Vec<GroupFigures>,
    /// Devices.
    pub devices: Vec<DeviceDay>,
    /// Reports that no group has counted, by [`MissedReports::key`]. Excludes those of muted
    /// groups.
    pub missed: BTreeMap<String, MissedReports>,
}

impl GroupFigures {
    /// The devices whose first failure in a round it was, by set.
    pub(super) fn failing_in<'g>(&'g self, round: &Round) -> impl Iterator<Item = (&'g str, u64)> {
        let prefix = format!("{round}:");
        self.failing_rounds.iter().filter_map(move |(key, count)| Some((key.strip_prefix(&prefix)?, *count)))
    }
}

impl GuardedRelease {
    /// The days that the release is compared with.
    pub fn baseline_days(&self) -> Days {
        Days::until(Day::of(self.offered_at).minus(1), BASELINE_DAYS)
    }

    pub(super) fn reaches(&self, channel: &str) -> bool {
        !self.unreached.iter().any(|unreached| unreached == channel)
    }

    pub(super) fn since(&self) -> i64 {
        Day::of(self.round.since).number()
    }

    pub(super) fn is_older(&self, version: &Version) -> bool {
        *version < self.version
    }
}

impl HealthCounts {
    /// The failures of a release in its round.
    pub fn exposure(&self, subject: &GuardedRelease, series: Series) -> Exposure {
        let mut by_set: BTreeMap<&str, u64> = BTreeMap::new();
        for group in self.groups_of(subject, series) {
            for (set, count) in group.failing_in(&subject.round) {
                *by_set.entry(set).or_default() += count;
            }
        }
        for (set, count) in self.missed_reports(subject, series).into_iter().flat_map(MissedReports::by_set) {
            *by_set.entry(set).or_default() += count;
        }
        // A lost set is replaced by another one, which knows no device of the first.
        let failing = by_set.into_values().max().unwrap_or(0);
        let days = self.devices.iter().filter(|day| day.day >= subject.since());
        let days = days.filter(|day| match series {
            Series::Running => day.version.as_ref() == Some(&subject.version),
            Series::Updating => !day.is_latest,
        });
        Exposure::new(failing, total(days.filter(|day| subject.reaches(&day.channel))))
    }

    /// Different devices that were seen with the version of a release in its round: those of the busiest day.
    pub fn seen_devices(&self, subject: &GuardedRelease) -> u64 {
        let mut by_day: BTreeMap<i64, u64> = BTreeMap::new();
        let of_version = |day: &&DeviceDay| day.version.as_ref() == Some(&subject.version);
        for day in self.devices.iter().filter(of_version).filter(|day| day.day >= subject.since()) {
            *by_day.entry(day.day).or_default() += day.devices;
        }
        by_day.into_values().max().unwrap_or(0)
    }

    /// The version that a release is compared with in [`Series::Running`]: the newest older one that enough
    /// devices ran in the days before.
    pub fn version_before(&self, subject: &GuardedRelease) -> Option<Version> {
        let days = subject.baseline_days();
        let mut by_version: BTreeMap<&Version, u64> = BTreeMap::new();
        for day in self.devices.iter().filter(|day| is_in(days, day.day) && subject.reaches(&day.channel)) {
            if let Some(version) = day.version.as_ref().filter(|version| subject.is_older(version)) {
                *by_version.entry(version).or_default() += day.devices;
            }
        }
        let mut newest_first = by_version.into_iter().rev();
        let found = newest_first.find(|(_, device_days)| *device_days >= MIN_BASELINE_DEVICE_DAYS);
        found.map(|(version, _)| version.clone())
    }

    /// The baseline of a release. `version`: the version to compare with, for [`Series::Running`];
    /// `spread` is that of the same devices. `None`: no device was seen.
    pub fn baseline(
        &self,
        subject: &GuardedRelease,
        series: Series,
        version: Option<&Version>,
        spread: f64,
    ) -> Option<Baseline> {
        let days = subject.baseline_days();
        let is_compared =
            |of: &Version| version.map_or_else(|| subject.is_older(of), |version| of == version);
        let groups = self.groups.iter().filter(|group| {
            Series::of(group.event) == series
                && subject.reaches(&group.channel)
                && is_compared(&group.version)
        });
        let failing = groups.map(|group| in_days(&group.failing_days, days)).sum();
        let devices = self.devices.iter().filter(|day| {
            let counts = match (series, version) {
                (Series::Running, Some(version)) => day.version.as_ref() == Some(version),
                (Series::Running, None) => false,
                (Series::Updating, _) => !day.is_latest,
            };
            counts && is_in(days, day.day) && subject.reaches(&day.channel)
        });
        let device_days = total(devices);
        (device_days > 0).then(|| Baseline { failing, device_days, spread: spread.max(1.0) })
    }

    /// Whether any device was counted on a day or later.
    pub fn any_since(&self, day: Day) -> bool {
        self.devices.iter().any(|devices| devices.day >= day.number())
    }

    /// Whether failures since the round began are counted in the group `other`, which does not show
    /// their version.
    pub fn are_partial(&self, subject: &GuardedRelease) -> bool {
        let [version, channel, _, _, event, reason] = OTHER_GROUP;
        let is_other = |group: &&GroupFigures| {
            (group.version.as_str(), group.channel.as_str()) == (version, channel)
                && (group.event.as_str(), group.reason.as_str()) == (event, reason)
        };
        self.groups
            .iter()
            .filter(is_other)
            .any(|group| group.reports.range(subject.since()..).next().is_some())
    }

    /// Whether reports about the round of a release were refused by a limit.
    pub fn are_refused(&self, subject: &GuardedRelease) -> bool {
        let mut missed = Series::ALL.into_iter().filter_map(|series| self.missed_reports(subject, series));
        missed.any(|missed| missed.are_refused)
    }

    fn missed_reports(&self, subject: &GuardedRelease, series: Series) -> Option<&MissedReports> {
        self.missed.get(&MissedReports::key(&subject.round, series))
    }

    fn groups_of<'a>(
        &'a self,
        subject: &'a GuardedRelease,
        series: Series,
    ) -> impl Iterator<Item = &'a GroupFigures> {
        let of_series = self.groups.iter().filter(move |group| Series::of(group.event) == series);
        of_series.filter(move |group| {
            let is_version = match series {
                Series::Running => group.version == subject.version,
                Series::Updating => subject.is_older(&group.version),
            };
            is_version && subject.reaches(&group.channel)
        })
    }
}

impl Measurement {
    /// The failures of a release, and what they are compared with.
    pub const fn new(exposure: Exposure, baseline: Option<Baseline>) -> Self {
        Self { exposure, baseline }
    }
}

fn is_in(days: Days, day: i64) -> bool {
    days.first.number() <= day && day <= days.last.number()
}

pub(super) fn in_days(counts: &BTreeMap<i64, u64>, days: Days) -> u64 {
    counts.range(days.first.number()..=days.last.number()).map(|(_, count)| count).sum()
}

fn total<'a>(days: impl Iterator<Item = &'a DeviceDay>) -> u64 {
    days.map(|day| day.devices).sum()
}

#[cfg(test)]
mod tests;
