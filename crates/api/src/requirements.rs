//! The systems that releases run on.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use spindrift_core::{OsVersion, Requirements, WhenUnknown};

/// Requirements on the client's system. Empty: none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequiresBody {
    /// The versions of the operating system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os_version: Option<OsRangeBody>,
    /// The release for clients that do not say their version: an older one (`hold`, the default) or this one (`offer`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["hold", "offer"])))]
    pub unknown: Option<String>,
}

/// A range of versions of an operating system. Each is 1 to 4 numbers with dots, such as `10.0.19045` or `13.6`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OsRangeBody {
    /// The lowest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<String>,
    /// The highest, with all that begin like it: `12` includes 12.7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<String>,
    /// Up to 8 that are left out, with all that begin like them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not: Vec<String>,
}

/// The requirements of a release in a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlaceRequiresBody {
    /// The platform; empty if the owner uses none.
    pub platform: String,
    /// The architecture; empty if the owner uses none.
    pub arch: String,
    /// The requirements there.
    pub requires: RequiresBody,
}

/// Body of `POST /releases/{id}/requires`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RequiresChangeBody {
    /// The platform. If omitted, all that the release has files for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// The architecture. If omitted, all that the release has files for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// The requirements there from now on; `{}`: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "RequiresBody"))]
    pub requires: Option<Value>,
    /// The `revision` of the offer that the caller has seen: if it has changed, the call is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_revision: Option<i64>,
    /// Why, for the audit log. Up to 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl RequiresBody {
    /// A lowest version of the operating system.
    pub fn at_least(min: &OsVersion) -> Self {
        let min = Some(min.to_string());
        Self { os_version: Some(OsRangeBody { min, ..OsRangeBody::default() }), unknown: None }
    }
}

impl From<&Requirements> for RequiresBody {
    fn from(requires: &Requirements) -> Self {
        let text = |version: &OsVersion| version.to_string();
        let range = &requires.os_version;
        Self {
            os_version: Some(OsRangeBody {
                min: range.min.as_ref().map(text),
                max: range.max.as_ref().map(text),
                not: range.not.iter().map(text).collect(),
            }),
            unknown: (requires.unknown == WhenUnknown::Offer).then(|| "offer".to_owned()),
        }
    }
}
