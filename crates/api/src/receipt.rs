//! The receipt of a release: who will get it, who will not and why, and who falls behind.

use serde::{Deserialize, Serialize};

use crate::ReleaseData;

/// Body of `POST /releases/receipt`: an upload that was not sent yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReceiptAskBody {
    /// The form field `data` of the upload.
    pub data: ReleaseData,
    /// The names of its files, feed files included.
    pub files: Vec<String>,
}

/// The receipt of a release. It describes what happens once the release is published, whether or not it is already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReceiptBody {
    /// The application.
    pub app: String,
    /// The version.
    pub version: String,
    /// One line for each channel, platform, architecture and updater.
    pub lines: Vec<ReceiptLineBody>,
    /// Whether there are more lines than the answer has.
    pub truncated: bool,
    /// Whether the clients of a line fall behind.
    pub behind: bool,
    /// Whether no line has clients that get the release.
    pub nobody: bool,
    /// Probable mistakes, such as files of another operating system. For people.
    pub warnings: Vec<String>,
}

/// The clients of an updater in one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReceiptLineBody {
    /// The channel; empty if the owner has none. The same applies to the platform and the architecture.
    pub channel: String,
    /// The platform.
    pub platform: String,
    /// The architecture.
    pub arch: String,
    /// The updater.
    pub updater: String,
    /// The state of the release in this channel: `draft`, `scheduled`, `published` or `withdrawn`.
    pub state: String,
    /// `gets`: all of them get the release. `some`: its rollout, groups or requirements leave some out. `newer`: they are offered a
    /// newer one. `held`: an order or a missing signature keeps it from them. `behind`: they do not get it and stay at an older
    /// version. `none`: nothing was ever published for them.
    pub outcome: String,
    /// Why, for people. Empty if there is nothing to add.
    pub text: String,
    /// The newest earlier version that they could install. Left out if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Devices of this channel, platform and architecture in the last 30 days, with any updater. Left out unless the service
    /// counts devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<u64>,
}
