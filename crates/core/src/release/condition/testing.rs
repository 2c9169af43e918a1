//! Groups, requirements and clients for tests.

use serde_json::json;

use crate::feeds::testing::{Numbers, device_in};
use crate::{
    ClientFacts, Conditions, CuredVersions, GroupDevice, GroupDevices, GroupKey, GroupSet, Id, RecordGroup,
    Requirements,
};

/// The key of the first group.
fn key() -> GroupKey {
    GroupKey::text([7; 16]).parse().unwrap()
}

/// One group with the key, and one with a device of [`some_clients`].
pub(crate) fn two_groups() -> Vec<RecordGroup> {
    let device = GroupDevice::of(&Id::from_text("app"), &device_in(50..100));
    vec![
        RecordGroup { key: key(), devices: GroupDevices::default() },
        RecordGroup {
            key: GroupKey::from_digest(&[0; 16]).unwrap(),
            devices: [device].into_iter().collect(),
        },
    ]
}

pub(crate) fn set(places: &[usize]) -> GroupSet {
    places.iter().copied().collect()
}

pub(crate) fn requires(value: &serde_json::Value) -> Option<Requirements> {
    Requirements::from_json(value).unwrap()
}

pub(crate) fn on(os_version: &str) -> ClientFacts {
    ClientFacts { os_version: Some(os_version.parse().unwrap()), ..ClientFacts::default() }
}

pub(crate) fn in_group() -> ClientFacts {
    ClientFacts { groups: vec![key()], ..ClientFacts::default() }
}

pub(crate) fn interactive() -> ClientFacts {
    ClientFacts { is_interactive: true, ..ClientFacts::default() }
}

/// Clients that differ in every fact that conditions check.
pub(crate) fn some_clients() -> Vec<ClientFacts> {
    vec![
        ClientFacts::default(),
        in_group(),
        interactive(),
        on("11"),
        ClientFacts { groups: vec![key()], ..on("12.7") },
        ClientFacts { is_interactive: true, ..on("13") },
    ]
}

pub(crate) fn cures(versions: &[&str]) -> CuredVersions {
    CuredVersions::from_json(&json!(versions)).unwrap()
}

/// Sometimes groups, sometimes requirements, sometimes versions that it cures.
pub(crate) fn random_conditions(numbers: &mut Numbers) -> Conditions {
    let admitted_groups = if numbers.below(3) == 0 { set(&[numbers.below(2)]) } else { set(&[]) };
    let min = *numbers.pick(&["11", "12", "13"]);
    let requires = match numbers.below(6) {
        0 => requires(&json!({ "os_version": { "min": min } })),
        1 => requires(&json!({ "os_version": { "min": min }, "unknown": "offer" })),
        2 => requires(&json!({ "os_version": { "max": "12", "not": [min] } })),
        _ => None,
    };
    let cures = if numbers.below(4) == 0 { cures(&[*numbers.pick(&["1", "4", "7"])]) } else { cures(&[]) };
    Conditions { admitted_groups, requires, cures }
}
