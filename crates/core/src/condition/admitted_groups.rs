//! The groups that an offer admits.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::MAX_GROUPS_OF_OFFER;
use crate::{DeviceGroupName, quoted_json};

/// The names of the groups that a release admits in addition to its rollout, at most
/// [`MAX_GROUPS_OF_OFFER`]. A group cannot be renamed, or deleted while a release admits it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdmittedGroups(BTreeSet<DeviceGroupName>);

/// The value is not a list of groups.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid groups: a list of up to {MAX_GROUPS_OF_OFFER} names, not {0}")]
pub struct InvalidAdmittedGroups(String);

impl AdmittedGroups {
    /// Parses a list of names.
    pub fn from_json(value: &Value) -> Result<Self, InvalidAdmittedGroups> {
        let name = |name: &Value| name.as_str()?.parse().ok();
        let names: Option<BTreeSet<_>> = value.as_array().and_then(|names| names.iter().map(name).collect());
        let names = names.filter(|names| names.len() <= MAX_GROUPS_OF_OFFER);
        names.map(Self).ok_or_else(|| InvalidAdmittedGroups(quoted_json(value)))
    }

    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the group is among them.
    pub fn has(&self, name: &DeviceGroupName) -> bool {
        self.0.contains(name)
    }

    /// The names, sorted.
    pub fn iter(&self) -> impl Iterator<Item = &DeviceGroupName> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn groups_are_a_list_of_a_few_names() {
        let read = AdmittedGroups::from_json(&json!(["qa", "beta", "qa"])).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), json!(["beta", "qa"]));
        assert!(read.has(&"qa".parse().unwrap()) && !read.has(&"others".parse().unwrap()));
        assert!(AdmittedGroups::from_json(&json!([])).unwrap().is_empty());
        let many: Vec<String> = (0..9).map(|n| format!("g{n}")).collect();
        assert!(AdmittedGroups::from_json(&json!(many[..8])).is_ok());
        for wrong in [json!("qa"), json!([1]), json!(["a/b"]), json!([""]), json!(many), json!({})] {
            assert_eq!(
                AdmittedGroups::from_json(&wrong),
                Err(InvalidAdmittedGroups(quoted_json(&wrong))),
                "{wrong}"
            );
        }
    }
}
