//! Bodies of `/releases/{id}`: how a release is offered, and orders to its rollout.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use spindrift_core::{BasisPoints, Id, Widening};

use crate::{BuiltByBody, GuardBody, Percentage, PlaceRequiresBody, PlanBody, VerdictName};

/// The name of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RolloutActionName {
    /// Runs `plan` from its first step.
    Start,
    /// Stays at `percent`, without a plan.
    Set,
    /// Lets the plan stand still. Devices that may have the release still get it.
    Pause,
    /// Ends a pause or a halt.
    Resume,
    /// Begins the next step now.
    Advance,
    /// Offers the release to everybody.
    Complete,
    /// Lets no further device have the release.
    Halt,
}

/// Body of `POST /releases/{id}/rollout`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RolloutActionBody {
    /// The action.
    pub action: RolloutActionName,
    /// For `set`: the percentage of devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Percentage>"))]
    pub percent: Option<Value>,
    /// For `start`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<PlanBody>"))]
    pub plan: Option<Value>,
    /// The channel. May be left out while the release has one offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The `revision` of the offer that the caller has seen: if it has changed, the call is refused. Stops are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_revision: Option<i64>,
    /// Why, for the audit log. Up to 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Body of `POST /releases/{id}/offer`. Omitted values stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferChangeBody {
    /// `true`: clients see the release from now on. `false`: it becomes a draft again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publish: Option<bool>,
    /// RFC 3339, at most 366 days ahead: clients see the release from this time on. A past time means now, and `null` the same
    /// as `publish: false`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::nullable::present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub publish_at: Option<Option<String>>,
    /// The plan of a release that clients do not see yet. It begins when they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<PlanBody>"))]
    pub plan: Option<Value>,
    /// A fixed percentage of devices instead, also only until clients see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Percentage>"))]
    pub rollout: Option<Value>,
    /// The groups of devices that are let in besides the rollout; an empty list: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<String>>"))]
    pub groups: Option<Value>,
    /// The order for a guard run that finds the release unhealthy. `null`: do nothing.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::nullable::present")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<GuardBody>"))]
    pub guard: Option<Option<Value>>,
    /// The channel. May be left out while the release has one offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The `revision` of the offer that the caller has seen: if it has changed, the call is refused. Making
    /// it a draft is not, unless that lets clients skip an intermediate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_revision: Option<i64>,
    /// Why, for the audit log. Up to 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Make it a draft even if devices would then skip it, although it is an intermediate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// Body of `POST /releases/{id}/withdraw`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WithdrawBody {
    /// Why. Clients with the updater `manual` that run the version are told: 1 to 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Withdraw it even if devices would then skip it, although it is an intermediate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// Body of `POST /releases/{id}/restore`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RestoreBody {
    /// The `revision` of the offer that the caller has seen: if it has changed, the call is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_revision: Option<i64>,
    /// Why, for the audit log. Up to 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The recall of a release from all clients.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WithdrawalBody {
    /// When, RFC 3339.
    pub at: String,
    /// Why, as clients are told.
    pub reason: String,
}

/// A release and how it is offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseBody {
    /// Its id.
    pub id: Id,
    /// The name of its application.
    pub app: String,
    /// Its version.
    pub version: String,
    /// Set if it was withdrawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<WithdrawalBody>,
    /// The systems that it runs on. Empty: any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<PlaceRequiresBody>,
    /// The versions whose copies are offered it regardless of its rollout, lowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cures: Vec<String>,
    /// The CI jobs that have built its files, if publishers uploaded them. Several commits mean that the files belong to
    /// different states of the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub built_by: Vec<BuiltByBody>,
    /// The number of files that somebody else has uploaded.
    #[serde(default, skip_serializing_if = "is_default")]
    pub files_without_build: u64,
    /// Whether updates are shut off for any clients of its channel.
    pub shut_off: bool,
    /// One for each channel in which it is offered.
    pub offers: Vec<OfferBody>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A release in a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferBody {
    /// The channel; empty if the owner uses none.
    pub channel: String,
    /// Whether it is the channel of the upload.
    pub own: bool,
    /// `draft`, `scheduled`, `published` or `withdrawn`.
    pub state: String,
    /// Rises with every change of the offer.
    pub revision: i64,
    /// When clients will see it, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publish_at: Option<String>,
    /// Until when a freeze holds the publication or the next step, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_until: Option<String>,
    /// When clients first could see it, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered_at: Option<String>,
    /// How far it is rolled out.
    pub rollout: OfferRolloutBody,
    /// The groups of devices that are let in besides the rollout.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// The order for a guard run that finds the release unhealthy. `None`: do nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<GuardBody>,
    /// The verdict of the last guard run. `None`: no run has looked at it since it was published, or since its rollout was last let
    /// go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictName>,
}

impl From<Widening> for NextStepBody {
    fn from(step: Widening) -> Self {
        Self { percent: Percentage(step.to), at: step.at.to_rfc3339() }
    }
}

/// The rollout of an offer, now and later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferRolloutBody {
    /// `fixed`, `running`, `paused`, `halted` or `complete`.
    pub state: String,
    /// Percentage of devices, rounded down.
    pub percent: u8,
    /// The same in hundredths of a percent, if it is not a whole percentage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis_points: Option<u16>,
    /// Input of a device's position: SHA-256(`device_id:seed`).
    pub seed: String,
    /// The plan, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanBody>,
    /// The place of the present step in the plan, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The next step that begins by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextStepBody>,
    /// The steps after it that begin by themselves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<NextStepBody>,
}

/// A step that begins by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NextStepBody {
    /// Percentage of devices from then on.
    pub percent: Percentage,
    /// When, RFC 3339.
    pub at: String,
}

impl OfferRolloutBody {
    /// All steps that begin by themselves.
    pub fn ahead(&self) -> impl Iterator<Item = &NextStepBody> {
        self.next.iter().chain(&self.later)
    }

    /// How far it is.
    pub fn part(&self) -> BasisPoints {
        let exact = self.basis_points.and_then(BasisPoints::new);
        exact.unwrap_or_else(|| BasisPoints::from_percent(self.percent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_numbers() {
        let percent =
            |json: &str| serde_json::from_str::<Percentage>(json).ok().map(|percent| percent.0.get());
        for (json, expected) in [
            ("5", Some(500)),
            ("0.1", Some(10)),
            ("100", Some(10_000)),
            ("0.005", None),
            ("\"5\"", None),
            ("101", None),
        ] {
            assert_eq!(percent(json), expected, "{json}");
        }
        let written = |basis_points| {
            serde_json::to_string(&Percentage(BasisPoints::new(basis_points).unwrap())).unwrap()
        };
        assert_eq!((written(500), written(10)), ("5".to_owned(), "0.1".to_owned()));
    }
}
