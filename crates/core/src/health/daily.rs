//! The devices and failures of a release by day and platform, beside those of an older version.

use std::collections::BTreeMap;

use super::{GuardedRelease, HealthCounts, Series};
use crate::{Day, Version};

/// Maximum number of days, which end today.
const MAX_DAYS: i64 = 28;

/// Devices of a version on a day.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DailyDevices {
    /// Devices that were seen.
    pub seen: u64,
    /// Devices that crashed or did not start. There may be more than were seen, because a copy that does not start
    /// does not ask for updates.
    pub failing: u64,
}

/// Devices of a day and a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthDay {
    /// The day.
    pub day: Day,
    /// Empty if the owner uses no platforms.
    pub platform: String,
    /// With the version of the release.
    pub release: DailyDevices,
    /// With the version that it is compared with.
    pub before: DailyDevices,
}

impl HealthCounts {
    /// The older version to show a release beside: `baseline`, or else the newest one that any device ran.
    pub fn shown_before(&self, subject: &GuardedRelease, baseline: Option<&Version>) -> Option<Version> {
        let older = self
            .devices
            .iter()
            .filter_map(|day| day.version.as_ref().filter(|_| subject.reaches(&day.channel)));
        baseline.or_else(|| older.filter(|version| subject.is_older(version)).max()).cloned()
    }

    /// The days with devices of either version, oldest first. They begin with the days that a release is compared with.
    pub fn by_day(&self, subject: &GuardedRelease, before: Option<&Version>, today: Day) -> Vec<HealthDay> {
        let first = subject.baseline_days().first.number().max(today.minus(MAX_DAYS - 1).number());
        let is_shown = |day: i64| first <= day && day <= today.number();
        let mut days: BTreeMap<(i64, &str), [DailyDevices; 2]> = BTreeMap::new();
        let place = |version: &Version| match version {
            _ if *version == subject.version => Some(0),
            _ => (before == Some(version)).then_some(1),
        };
        for seen in self.devices.iter().filter(|seen| is_shown(seen.day) && subject.reaches(&seen.channel)) {
            if let Some(place) = seen.version.as_ref().and_then(place) {
                days.entry((seen.day, &seen.platform)).or_default()[place].seen += seen.devices;
            }
        }
        for group in self.groups.iter().filter(|group| subject.reaches(&group.channel)) {
            let Some(place) = place(&group.version).filter(|_| Series::of(group.event) == Series::Running)
            else {
                continue;
            };
            for (day, failing) in group.failing_days.iter().filter(|(day, _)| is_shown(**day)) {
                days.entry((*day, &group.platform)).or_default()[place].failing += failing;
            }
        }
        let day = |((day, platform), [release, before]): ((i64, &str), [DailyDevices; 2])| HealthDay {
            day: Day::from_number(day),
            platform: platform.to_owned(),
            release,
            before,
        };
        days.into_iter().map(day).collect()
    }
}
