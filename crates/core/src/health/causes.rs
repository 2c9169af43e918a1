//! The causes of a release's failures.

use std::collections::{BTreeMap, BTreeSet};

use super::figures::in_days;
use super::{GroupFigures, GuardedRelease, HealthCounts, Series};
use crate::{EventType, Version};

/// Maximum number of causes of a release's failures.
const MAX_CAUSES: usize = 20;

/// A cause of failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureCause {
    /// The kind of failure.
    pub event: EventType,
    /// The cause.
    pub reason: String,
    /// Reports since the first day of the round.
    pub new: u64,
    /// Reports in the days before the release.
    pub before: u64,
    /// Devices whose first failure in the round it was. Reports that no group has counted are not in it.
    pub devices: u64,
    /// The versions that have reported it since the first day of the round.
    pub versions: BTreeSet<Version>,
    /// The platforms of these reports.
    pub platforms: BTreeSet<String>,
}

impl FailureCause {
    fn of(group: &GroupFigures) -> Self {
        Self {
            event: group.event,
            reason: group.reason.clone(),
            new: 0,
            before: 0,
            devices: 0,
            versions: BTreeSet::new(),
            platforms: BTreeSet::new(),
        }
    }

    fn add(&mut self, group: &GroupFigures, subject: &GuardedRelease) {
        let reports: u64 = group.reports.range(subject.since()..).map(|(_, count)| count).sum();
        if reports == 0 {
            return;
        }
        self.new += reports;
        // A lost set is replaced by another one, which knows no device of the first.
        self.devices += group.failing_in(&subject.round).map(|(_, count)| count).max().unwrap_or(0);
        self.versions.insert(group.version.clone());
        self.platforms.extend(Some(group.platform.clone()).filter(|platform| !platform.is_empty()));
    }
}

impl HealthCounts {
    /// The causes of a release's failures with the most reports. `before`: the version that it is compared
    /// with.
    pub fn causes(&self, subject: &GuardedRelease, before: Option<&Version>) -> Vec<FailureCause> {
        let mut causes: BTreeMap<(&str, &str), FailureCause> = BTreeMap::new();
        let days = subject.baseline_days();
        for group in self.groups.iter().filter(|group| subject.reaches(&group.channel)) {
            let (is_new, is_before) = match Series::of(group.event) {
                Series::Running => (group.version == subject.version, before == Some(&group.version)),
                Series::Updating => (subject.is_older(&group.version), subject.is_older(&group.version)),
            };
            let cause = causes
                .entry((group.event.as_str(), &group.reason))
                .or_insert_with(|| FailureCause::of(group));
            if is_new {
                cause.add(group, subject);
            }
            if is_before {
                cause.before += in_days(&group.reports, days);
            }
        }
        let mut causes: Vec<FailureCause> = causes.into_values().filter(|cause| cause.new > 0).collect();
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.new));
        causes.truncate(MAX_CAUSES);
        causes
    }
}
