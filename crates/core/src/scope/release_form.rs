//! The forms in which releases are kept and sent.
//!
//! A reader of an earlier version knows no conditions. In JSON, a release with conditions says that it is halted, and has its rollout
//! beside the conditions. So such a reader offers less. The key-value format has no field names, so it has each field once.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ScopeArtifact, ScopeRelease};
use crate::{Conditions, Rollout, Timestamp, Version};

#[derive(Serialize, Deserialize)]
struct Named<'a> {
    version: Cow<'a, Version>,
    intermediate: bool,
    rollout: Cow<'a, Rollout>,
    changelog: Cow<'a, str>,
    released_at: Timestamp,
    artifacts: Cow<'a, [ScopeArtifact]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    conditional: Option<Conditional<'a>>,
}

#[derive(Serialize, Deserialize)]
struct Conditional<'a> {
    rollout: Cow<'a, Rollout>,
    conditions: Cow<'a, Conditions>,
}

#[derive(Serialize, Deserialize)]
struct Unnamed<'a>(
    Cow<'a, Version>,
    bool,
    Cow<'a, Rollout>,
    Cow<'a, str>,
    Timestamp,
    Cow<'a, [ScopeArtifact]>,
    Cow<'a, Conditions>,
);

impl Serialize for ScopeRelease {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { version, intermediate, rollout, changelog, released_at, artifacts, conditions } = self;
        let (version, changelog) = (Cow::Borrowed(version), Cow::Borrowed(changelog.as_str()));
        let (artifacts, own) = (Cow::Borrowed(artifacts.as_slice()), Cow::Borrowed(rollout));
        if !serializer.is_human_readable() {
            let conditions = Cow::Borrowed(conditions);
            return Unnamed(version, *intermediate, own, changelog, *released_at, artifacts, conditions)
                .serialize(serializer);
        }
        let (rollout, conditional) = if conditions.are_none() {
            (own, None)
        } else {
            let halted = Rollout { is_halted: true, ..rollout.clone() };
            (Cow::Owned(halted), Some(Conditional { rollout: own, conditions: Cow::Borrowed(conditions) }))
        };
        let (intermediate, released_at) = (*intermediate, *released_at);
        Named { version, intermediate, rollout, changelog, released_at, artifacts, conditional }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ScopeRelease {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            let Unnamed(version, intermediate, rollout, changelog, released_at, artifacts, conditions) =
                Unnamed::deserialize(deserializer)?;
            return Ok(Self {
                version: version.into_owned(),
                intermediate,
                rollout: rollout.into_owned(),
                changelog: changelog.into_owned(),
                released_at,
                artifacts: artifacts.into_owned(),
                conditions: conditions.into_owned(),
            });
        }
        let named = Named::deserialize(deserializer)?;
        let (rollout, conditions) = match named.conditional {
            None => (named.rollout, Conditions::default()),
            Some(Conditional { rollout, conditions }) => (rollout, conditions.into_owned()),
        };
        Ok(Self {
            version: named.version.into_owned(),
            intermediate: named.intermediate,
            rollout: rollout.into_owned(),
            changelog: named.changelog.into_owned(),
            released_at: named.released_at,
            artifacts: named.artifacts.into_owned(),
            conditions,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::feeds::testing::release;
    use crate::{GroupSet, Requirements};

    fn conditional() -> ScopeRelease {
        let requires = json!({ "os_version": { "min": "12" } });
        let let_in: GroupSet = [1].into_iter().collect();
        let conditions = Conditions { let_in, requires: Requirements::from_json(&requires).unwrap() };
        ScopeRelease { conditions, ..release("2.0", &[("deb", None)]) }
    }

    #[test]
    fn both_forms_are_read_as_written() {
        for release in [release("1.0", &[("deb", Some("s"))]), conditional()] {
            let text = serde_json::to_string(&release).unwrap();
            assert_eq!(serde_json::from_str::<ScopeRelease>(&text).unwrap(), release);
        }
    }

    /// An edge may be older than its origin.
    #[test]
    fn a_patch_in_a_format_of_a_later_version_is_passed_on() {
        let mut json = serde_json::to_value(release("2.0", &[("deb", None)])).unwrap();
        let digest = "ab".repeat(32);
        json["artifacts"][0]["patches"] = json!([{
            "base_version": "1.0", "base_sha256": digest, "format": "later", "url": "u", "length": 1,
            "sha256": digest,
        }]);
        let read: ScopeRelease = serde_json::from_value(json.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), json);
    }

    #[test]
    fn readers_of_an_earlier_version_find_a_halted_release() {
        let json = serde_json::to_value(conditional()).unwrap();
        assert_eq!(
            json["rollout"],
            json!({ "percent": 0, "seed": "s", "basis_points": 10_000, "halted": true })
        );
        let json = serde_json::to_value(release("1.0", &[])).unwrap();
        let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            ["artifacts", "changelog", "intermediate", "released_at", "rollout", "version"],
            "as before while there are no conditions"
        );
    }
}
