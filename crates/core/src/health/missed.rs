//! Reports about a round that no group of failures has counted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Round, Series};
use crate::GroupHash;

/// Maximum number of separate groups, of some 100 bytes each. The devices of further groups are
/// counted together.
const MAX_GROUPS: usize = 100;
/// The name of the further groups. It is not a hash, so they are never muted.
const OTHERS: &str = "";

/// Reports that no group has counted, because a limit refused them, or the application has its
/// maximum number of groups.
///
/// Their devices count anyway, once in a round, so nobody can hide failures by exhausting the
/// limits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissedReports {
    /// Whether a limit refused any.
    pub are_refused: bool,
    /// The number of devices whose first report of the round this was, by the hash of the group and
    /// by the number of the set that detected it.
    devices: BTreeMap<String, BTreeMap<String, u64>>,
}

impl MissedReports {
    /// The key in the key-value store.
    pub fn key(round: &Round, series: Series) -> String {
        format!("failing.missed.{round}.{}", series.as_str())
    }

    /// Parses the output of [`Self::to_bytes`]. `None`: these are other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// The form in the key-value store.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Adds a report. `first_in`: the number of the set in which its device is new.
    pub fn add(&mut self, group: &GroupHash, first_in: Option<&str>, is_refused: bool) {
        self.are_refused |= is_refused;
        let Some(set) = first_in else { return };
        let is_known = self.devices.contains_key(group.as_str()) || self.devices.len() < MAX_GROUPS;
        let name = if is_known { group.as_str() } else { OTHERS };
        let count = self.devices.entry(name.to_owned()).or_default().entry(set.to_owned()).or_default();
        *count = count.saturating_add(1);
    }

    /// The hashes of the groups.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        self.devices.keys().map(String::as_str).filter(|name| *name != OTHERS)
    }

    /// Removes the devices of some groups.
    pub fn leave_out(&mut self, groups: &[String]) {
        self.devices.retain(|name, _| !groups.contains(name));
    }

    /// The devices by set.
    pub(super) fn by_set(&self) -> impl Iterator<Item = (&str, u64)> {
        self.devices.values().flatten().map(|(set, count)| (set.as_str(), *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(number: usize) -> GroupHash {
        format!("{number:064x}").parse().unwrap()
    }

    fn sum(missed: &MissedReports) -> u64 {
        missed.by_set().map(|(_, count)| count).sum()
    }

    #[test]
    fn devices_are_counted_once_by_group_and_set() {
        let mut missed = MissedReports::default();
        missed.add(&hash(1), Some("one"), false);
        assert!(!missed.are_refused);
        missed.add(&hash(1), Some("one"), true);
        missed.add(&hash(1), Some("other"), true);
        missed.add(&hash(2), Some("one"), true);
        missed.add(&hash(2), None, true);
        let mut again = MissedReports::from_bytes(&missed.to_bytes()).unwrap();
        assert_eq!((&again, again.are_refused, sum(&again)), (&missed, true, 4));
        again.leave_out(&[hash(1).as_str().to_owned()]);
        assert_eq!(again.by_set().collect::<Vec<_>>(), [("one", 1)]);
        assert_eq!(MissedReports::from_bytes(b"set"), None);
    }

    #[test]
    fn made_up_groups_take_bounded_space() {
        let mut missed = MissedReports::default();
        for number in 0..1000 {
            missed.add(&hash(number), Some("one"), true);
        }
        assert_eq!((missed.groups().count(), sum(&missed)), (MAX_GROUPS, 1000));
        assert!(missed.to_bytes().len() < 16 * 1024, "{}", missed.to_bytes().len());
    }
}
