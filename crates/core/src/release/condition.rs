//! Conditions of releases in addition to their rollouts: groups of devices, versions that they cure, and
//! requirements on the client's system.

mod admitted_groups;
mod client_facts;
mod cured_versions;
mod group;
mod group_devices;
mod os_version;
mod requirements;
#[cfg(test)]
pub(crate) mod testing;

use serde::{Deserialize, Serialize};

pub use admitted_groups::{AdmittedGroups, InvalidAdmittedGroups};
pub use client_facts::{ClientFacts, InvalidClientFact, MAX_CLIENT_GROUPS, NO_FACTS};
pub use cured_versions::{CuredVersions, InvalidCures, MAX_CURED_VERSIONS};
pub use group::{
    GroupKey, GroupSet, InvalidGroupKey, MAX_GROUP_DEVICES, MAX_GROUPS, MAX_GROUPS_OF_OFFER,
    MAX_RECORD_DEVICES, RecordGroup,
};
pub use group_devices::{GroupDevice, GroupDevices};
pub use os_version::{InvalidOsVersion, OsVersion};
pub use requirements::{InvalidRequirements, MAX_EXCLUDED, OsRange, Requirements, WhenUnknown};

/// The conditions of a release in a scope. Without conditions, only its rollout decides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The groups that are admitted in addition to the rollout's part of the devices.
    #[serde(rename = "let_in")]
    pub admitted_groups: GroupSet,
    /// The requirements on the client's system.
    pub requires: Option<Requirements>,
    /// The versions that are let in regardless of the rollout. An edge that does not know this field goes by
    /// the rollout alone.
    #[serde(default, with = "cured_versions::in_records", skip_serializing_if = "CuredVersions::is_empty")]
    pub cures: CuredVersions,
}

impl Conditions {
    /// Whether a client meets the requirements.
    pub fn are_met_by(&self, facts: &ClientFacts) -> bool {
        self.requires.as_ref().is_none_or(|requires| requires.are_met(facts.os_version.as_ref()))
    }

    /// Whether every client that meets the requirements of `other` meets these.
    pub fn is_no_stricter_than(&self, other: &Self) -> bool {
        match (&self.requires, &other.requires) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(these), Some(others)) => these.is_no_stricter_than(others),
        }
    }
}
