//! The answer of `GET /telemetry/overview`.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::{AuditItem, NextStepBody, Percentage, VerdictName};

/// An owner's applications with their figures, and the warnings about them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverviewBody {
    /// The applications of this page, by name.
    pub apps: Vec<OverviewApp>,
    /// Number of applications on all pages; with a search, of those that match.
    pub total: u64,
    /// Number of this page, from 1.
    pub page: u32,
    /// Maximum number of applications on a page.
    pub limit: u32,
    /// When maintenance last ended without a failure, RFC 3339. `None`: it has not yet.
    pub maintenance: Option<String>,
    /// Devices seen today, in UTC, of all applications that the caller sees. A device counts once for each application.
    pub devices_today: u64,
    /// Devices seen in the last 30 days, counted likewise. If not all applications are on this page, it may be five minutes old.
    pub devices: u64,
    /// Number of all applications that the caller sees, regardless of the search.
    pub apps_total: u64,
    /// Number of their releases, drafts included.
    pub releases_total: u64,
    /// Number of their releases that are not published.
    pub drafts_total: u64,
    /// Number of their groups of failures that are open.
    pub open_groups_total: u64,
    /// Number of the causes of these groups, as `GET /reports/causes` lists them.
    pub open_causes_total: u64,
    /// Warnings, the most urgent first. About all applications that the caller sees, regardless of the search.
    pub warnings: Vec<OverviewWarning>,
    /// The present of all applications that the caller sees, regardless of the search. With `app`, releases of that
    /// application alone.
    pub now: OverviewNow,
}

/// The present: at most 20 of each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverviewNow {
    /// Releases that are published to a part of the devices, or halted, the newest first.
    pub rollouts: Vec<OverviewRelease>,
    /// Releases that are unhealthy, the newest first.
    pub failing: Vec<OverviewRelease>,
    /// The last entries of the audit log, the newest first.
    pub activity: Vec<AuditItem>,
}

/// A release that is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverviewRelease {
    /// Its id.
    pub id: Id,
    /// Its application.
    pub app: String,
    /// The channel; empty if the owner uses none.
    pub channel: String,
    /// The version.
    pub version: String,
    /// `fixed`, `running`, `paused`, `halted` or `complete`.
    pub state: String,
    /// Percentage of devices.
    pub percent: Percentage,
    /// The next step that begins by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<NextStepBody>,
    /// The verdict of the last guard run. `None`: none has looked at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictName>,
    /// Why, as a sentence for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// An application with its figures.
#[expect(clippy::struct_excessive_bools, reason = "the shape of the wire format: independent switches")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverviewApp {
    /// Id.
    pub id: Id,
    /// Name.
    pub name: String,
    /// URL of the logo; empty without one.
    pub logo: String,
    /// The owner's description of it.
    pub description: String,
    /// Whether its files need a login or a download token.
    pub private: bool,
    /// Whether its files need SHA-256 and SHA-512, so that they can be listed in signed metadata.
    pub tuf: bool,
    /// Whether it has signed metadata that lists the files which checks offer.
    pub signed: bool,
    /// Whether it takes failure reports.
    pub reports: bool,
    /// The newest published release of each channel, by name of the channel.
    pub newest: Vec<NewestRelease>,
    /// Number of releases that are not published.
    pub drafts: u64,
    /// Number of releases, drafts included.
    pub releases: u64,
    /// Devices seen today, in UTC.
    pub devices_today: u64,
    /// Different devices seen in the last 30 days.
    pub devices: u64,
    /// Of these, the devices for which there was nothing newer, in their channel, platform and architecture, when they last
    /// asked. `GET /telemetry` counts them as `clients_using_latest_version`.
    pub devices_on_newest: u64,
    /// Devices of each of the last 30 days, oldest first: 30 numbers, the last is today.
    pub daily: Vec<u64>,
    /// Number of groups of failures that are open.
    pub open_groups: u64,
    /// Number of the causes of these groups, as `GET /reports/causes` lists them.
    pub open_causes: u64,
    /// The signals that rollouts in parts and the guard need and its copies do not send, as a sentence for
    /// people. `None`: none is missing, or nobody has asked for its updates in the last 7 days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// The newest published release of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewestRelease {
    /// The channel; empty if the owner uses none.
    pub channel: String,
    /// The version.
    pub version: String,
    /// When it was first recorded, RFC 3339.
    pub created_at: String,
    /// Percentage of devices that it is offered to, 0-100, rounded down.
    pub rollout_percent: i64,
    /// The same in hundredths of a percent.
    pub basis_points: u16,
    /// `fixed`, `running`, `paused`, `halted` or `complete`.
    pub rollout_state: String,
}

/// Something that needs attention.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OverviewWarning {
    /// `shut_off`, `storage_unreachable`, `bucket_of_another_database`, `maintenance_overdue`, `unhealthy` (a release),
    /// `guard_not_run`, `webhook_failing`, `expiring` (signed metadata), or `nothing_counted`. Later versions may add others.
    pub kind: String,
    /// Name of the application that it is about. `None`: the whole service.
    pub app: Option<String>,
    /// A sentence for people.
    pub text: String,
    /// RFC 3339: the beginning, or for `expiring` the end. `None`: from the start, or not known.
    pub since_or_until: Option<String>,
}
