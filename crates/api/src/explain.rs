//! Bodies of `POST /explain`: why a client gets what it gets.

use serde::{Deserialize, Serialize};
use spindrift_core::Timestamp;
use spindrift_core::explain::OfferReason;

use crate::NextStepBody;

/// Body of `POST /explain`: a client, as it would ask.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainBody {
    /// Name of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Name of the channel, or `default` for none. Without it the owner's default counts, as in a check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// Name of the platform, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// Name of the architecture, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// The version that the client runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The client's updater. Without it: the platform's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updater: Option<String>,
    /// The device id that the client sends, 1 to 128 printable ASCII characters. It is neither stored nor counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Keys of groups that the client says, with commas between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The version of the operating system that the client says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os_version: Option<String>,
    /// Whether the client says that its user asked for the update.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interactive: Option<bool>,
    /// RFC 3339, up to 90 days ahead: the time of the answer. Without it, and in place of an earlier time: now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// Answer of `POST /explain`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedBody {
    /// The time of the answer, RFC 3339.
    pub at: String,
    /// The answer to the client, in short.
    pub answer: ExplainedAnswer,
    /// The newest releases of the application, at most 100, and always the offered one. Newest first.
    pub releases: Vec<ExplainedRelease>,
    /// The other updaters of the platform whose clients would get another answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<DifferentAnswer>,
}

/// The answer to a client that differs only in its updater.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DifferentAnswer {
    /// Its updater.
    pub updater: String,
    /// The version that it is offered. Left out if it is offered none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// The decision about a client's update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedAnswer {
    /// Whether the client is offered a newer release.
    pub update_available: bool,
    /// The offered version. Without an update: the client's version or the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The offered release is critical, or one between it and the client's version.
    pub critical: bool,
    /// Whether updates are shut off for the client.
    pub shut_off: bool,
    /// Why the client's version was withdrawn, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawn: Option<String>,
}

/// A release, and why the client is offered it or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedRelease {
    /// Its version.
    pub version: String,
    /// Its channel; empty if it has none.
    pub channel: String,
    /// Whether it is offered to the client.
    pub offered: bool,
    /// The reasons. For a release that is not offered, each of them alone is enough.
    pub because: Vec<ExplainedReason>,
}

/// A reason why a release is offered or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainedReason {
    /// `offered`, `cures`, `draft`, `scheduled`, `withdrawn`, `shut_off`, `other_channel`, `no_file`, `not_listed`, `not_installable`, `not_newer`, `halted`,
    /// `requires`, `group_only`, `outside_rollout`, `held_below` or `surpassed`. Later versions may add others.
    pub code: String,
    /// The reason in words, for people.
    pub text: String,
    /// For `offered` and `outside_rollout`: the position of the device in the rollout, 0 to 9,999. The device is inside while
    /// this is below `basis_points`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u16>,
    /// For the same, while the release is not for everybody: how far it is rolled out, in hundredths of a percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis_points: Option<u16>,
    /// For `outside_rollout`: the step that lets the client have it, if that begins by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<NextStepBody>,
    /// For `scheduled`: when it will be published, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// For `scheduled` and `outside_rollout`: until when a freeze holds the publication or the next step, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_until: Option<String>,
    /// For `held_below`: the version of the intermediate. For `surpassed`: the version that is offered instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl From<OfferReason> for ExplainedReason {
    fn from(because: OfferReason) -> Self {
        let (code, text) = (because.code().to_owned(), because.text());
        let scheduled = match because {
            OfferReason::Scheduled { at, .. } => Some(at),
            _ => None,
        };
        let held_until = match because {
            OfferReason::Scheduled { held_until, .. } | OfferReason::OutsideRollout { held_until, .. } => {
                held_until
            }
            _ => None,
        };
        let (share, next, by) = match because {
            OfferReason::Offered { share } => (share, None, None),
            OfferReason::OutsideRollout { share, next, .. } => (Some(share), next, None),
            OfferReason::HeldBelow { by } | OfferReason::Surpassed { by, .. } => {
                (None, None, Some(by.to_string()))
            }
            _ => (None, None, None),
        };
        let [at, held_until] = [scheduled, held_until].map(|at| at.map(Timestamp::to_rfc3339));
        let position = share.and_then(|share| share.position);
        let basis_points = share.map(|share| share.basis_points.get());
        let next = next.map(NextStepBody::from);
        Self { code, text, position, basis_points, next, at, held_until, by }
    }
}
