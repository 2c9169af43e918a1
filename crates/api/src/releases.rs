//! Bodies of changes to releases.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value};
use spindrift_core::{AppName, Version};

/// An artifact as the caller names it: its index in the list in the answer of `GET /search`, its id, or its link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ArtifactRef {
    /// The index, from 0.
    Index(usize),
    /// An id or a link, or the index as text.
    Text(String),
}

/// Field `data` of `POST /apps/update`. Omitted values stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseUpdateData {
    /// Id of the release.
    pub id: String,
    /// Whether clients see it.
    #[serde(default, deserialize_with = "flag", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::Switch>"))]
    pub publish: Option<bool>,
    /// RFC 3339, at most 366 days ahead: clients see it from this time on. A past time means now, and `null` the same as
    /// `publish: false`. Not together with `publish`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::nullable::present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub publish_at: Option<Option<String>>,
    /// Whether clients should not postpone it.
    #[serde(default, deserialize_with = "flag", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::Switch>"))]
    pub critical: Option<bool>,
    /// Whether clients must not skip it.
    #[serde(default, deserialize_with = "flag", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::Switch>"))]
    pub intermediate: Option<bool>,
    /// Release notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<String>,
    /// Percentage of devices. It ends a plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::Percentage>"))]
    pub rollout: Option<Number>,
    /// A plan, which begins now, or when clients see it. Not together with `rollout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::PlanBody>"))]
    pub plan: Option<Value>,
    /// The order for a guard run that finds the release unhealthy. `null`: do nothing.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::nullable::present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::GuardBody>"))]
    pub guard: Option<Option<Value>>,
    /// The groups of devices that it lets in besides its rollout; an empty list: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub groups: Option<Value>,
    /// Up to 8 lower versions, whose copies are offered it regardless of its rollout; an empty list: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub cures: Option<Value>,
    /// The requirements on all systems that it has files for; `{}`: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::RequiresBody>"))]
    pub requires: Option<Value>,
    /// Make the change even if devices would then skip the release, although it is an intermediate.
    #[serde(default, deserialize_with = "flag", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::Switch>"))]
    pub force: Option<bool>,
    /// Artifacts to remove.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts_to_delete: Vec<ArtifactRef>,
}

/// A boolean, or one of the strings `true` and `false`.
fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Flag {
        Bool(bool),
        Text(String),
    }
    match Option::<Flag>::deserialize(deserializer)? {
        None => Ok(None),
        Some(Flag::Bool(flag)) => Ok(Some(flag)),
        Some(Flag::Text(text)) => {
            text.parse().map(Some).map_err(|_| serde::de::Error::custom("a flag is true or false"))
        }
    }
}

/// Answer of `POST /apps/update`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseUpdatedBody {
    /// Always true.
    #[serde(rename = "updatedResult.Updated")]
    pub updated: bool,
}

/// Answer of `DELETE /apps/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseDeletedBody {
    /// Always 1.
    #[serde(rename = "deleteSpecificAppResult.DeletedCount")]
    pub deleted_count: u64,
}

/// Field `data` of `POST /artifact/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArtifactsDeleteData {
    /// Id of the release.
    pub id: String,
    /// Name of its application.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub app_name: AppName,
    /// Its version.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub version: Version,
    /// At least one.
    pub artifacts_to_delete: Vec<ArtifactRef>,
    /// Delete them even if devices would then skip the release, although it is an intermediate.
    #[serde(default, deserialize_with = "flag", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::Switch>"))]
    pub force: Option<bool>,
}

/// Answer of `POST /artifact/delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArtifactsDeletedBody {
    /// Always true.
    #[serde(rename = "deleteSpecificArtifactResult")]
    pub deleted: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_booleans_or_their_texts() {
        let data: ReleaseUpdateData =
            serde_json::from_str(r#"{"id":"1","publish":"true","critical":false,"intermediate":null,"x":1}"#)
                .unwrap();
        assert_eq!((data.publish, data.critical, data.intermediate), (Some(true), Some(false), None));
        for bad in [
            r#"{"id":"1","publish":"yes"}"#,
            r#"{"id":"1","publish":1}"#,
            r#"{"publish":true}"#,
            r#"{"id":"1","id":"2"}"#,
        ] {
            assert!(serde_json::from_str::<ReleaseUpdateData>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn artifacts_are_named_by_place_or_text() {
        let data: ReleaseUpdateData =
            serde_json::from_str(r#"{"id":"1","artifacts_to_delete":[0,"1","http://x/y"]}"#).unwrap();
        assert_eq!(
            data.artifacts_to_delete,
            [ArtifactRef::Index(0), ArtifactRef::Text("1".into()), ArtifactRef::Text("http://x/y".into())]
        );
    }
}
