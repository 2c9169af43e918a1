//! The versions that a release cures.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::{Version, quoted_json};

/// Maximum number of versions that a release cures. Every record of the release's scopes holds them.
pub const MAX_CURED_VERSIONS: usize = 8;

/// The versions that a release cures, at most [`MAX_CURED_VERSIONS`], in order. Copies that run one of them
/// are offered the release regardless of its rollout, unless it is halted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuredVersions(Vec<Version>);

/// The value is not a list of versions that a release can cure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCures {
    /// Not a list, too long, or with an element that is not a version.
    #[error("invalid cures: a list of up to {MAX_CURED_VERSIONS} versions, not {0}")]
    NotVersions(String),
    /// No update leads from the version to the release.
    #[error("invalid cures: {cured} is not lower than {release}, the version of the release")]
    NotLower {
        /// The version to be cured.
        cured: String,
        /// The version of the release.
        release: String,
    },
}

impl CuredVersions {
    /// Parses a list of versions. Their order and repetitions do not matter.
    pub fn from_json(value: &Value) -> Result<Self, InvalidCures> {
        let version = |version: &Value| version.as_str()?.parse().ok();
        let versions: Option<Vec<Version>> =
            value.as_array().and_then(|versions| versions.iter().map(version).collect());
        let distinct = |mut versions: Vec<Version>| {
            versions.sort();
            versions.dedup();
            versions
        };
        let versions = versions.map(distinct).filter(|versions| versions.len() <= MAX_CURED_VERSIONS);
        versions.map(Self).ok_or_else(|| InvalidCures::NotVersions(quoted_json(value)))
    }

    /// Fails unless all are lower than the version of the release.
    pub fn require_below(&self, release: &Version) -> Result<(), InvalidCures> {
        match self.0.iter().find(|cured| *cured >= release) {
            Some(cured) => {
                Err(InvalidCures::NotLower { cured: cured.to_string(), release: release.to_string() })
            }
            None => Ok(()),
        }
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the version is among them.
    pub fn has(&self, version: &Version) -> bool {
        self.0.contains(version)
    }

    /// The versions, lowest first.
    pub fn iter(&self) -> impl Iterator<Item = &Version> {
        self.0.iter()
    }
}

/// The form in records. In formats without field names, in which every field takes up space, the versions
/// take up none: they follow after the record if there are any.
pub(super) mod in_records {
    use super::{CuredVersions, Deserialize, Deserializer, Serialize, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        cures: &CuredVersions,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() { cures.serialize(serializer) } else { serializer.serialize_unit() }
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<CuredVersions, D::Error> {
        if deserializer.is_human_readable() {
            CuredVersions::deserialize(deserializer)
        } else {
            Ok(CuredVersions::default())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn versions(count: u32) -> Value {
        (0..count).map(|n| format!("1.{n}")).collect()
    }

    #[test]
    fn a_release_cures_a_few_versions() {
        let read = CuredVersions::from_json(&json!(["2.0.1", "2.0", "v2.0"])).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), json!(["2.0", "2.0.1"]));
        assert!(read.has(&"2.0.0".parse().unwrap()) && !read.has(&"2.0.2".parse().unwrap()));
        assert!(CuredVersions::from_json(&json!([])).unwrap().is_empty());
        assert_eq!(CuredVersions::from_json(&versions(8)).unwrap().iter().count(), 8);
        for wrong in [json!("2.0"), json!([2.0]), json!(["2 0"]), json!([""]), json!({}), versions(9)] {
            let refused = CuredVersions::from_json(&wrong);
            assert_eq!(refused, Err(InvalidCures::NotVersions(quoted_json(&wrong))), "{wrong}");
        }
    }

    #[test]
    fn only_lower_versions_can_be_cured() {
        let cures = CuredVersions::from_json(&json!(["1.9", "2.0.1-rc.1"])).unwrap();
        assert_eq!(cures.require_below(&"2.0.1".parse().unwrap()), Ok(()));
        for release in ["2.0.1-rc.1", "2.0", "1.0"] {
            let refused = cures.require_below(&release.parse().unwrap()).unwrap_err().to_string();
            assert!(refused.ends_with(&format!("is not lower than {release}, the version of the release")));
        }
    }
}
