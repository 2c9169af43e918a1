//! The answer of `GET /telemetry`.

use serde::{Deserialize, Serialize};

/// Figures of a day or of a range of days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TelemetryBody {
    /// The last day, `YYYY-MM-DD` in UTC.
    pub date: String,
    /// All days, oldest first.
    pub date_range: Vec<String>,
    /// The owner of the applications.
    pub admin: String,
    /// The figures of the whole range.
    pub summary: TelemetrySummary,
    /// Figures by version.
    pub versions: TelemetryVersions,
    /// Figures by platform, most frequent first.
    pub platforms: Vec<PlatformCount>,
    /// Figures by architecture, most frequent first.
    pub architectures: Vec<ArchCount>,
    /// Figures by channel, most frequent first.
    pub channels: Vec<ChannelCount>,
    /// Figures of each day, oldest first.
    pub daily_stats: Vec<DailyStats>,
    /// Downloads of updates that clients have reported, most frequent first. Not by channel, platform or architecture.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<DownloadCount>,
}

/// Number of downloads of a version in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DownloadCount {
    /// The version.
    pub version: String,
    /// `patch`; `whole`: the whole file; or `fallback`: the whole file, because the patch could not be used.
    pub way: String,
    /// Number of downloads.
    pub count: u64,
}

impl DownloadCount {
    /// The way, for people.
    pub fn way_name(&self) -> &str {
        match self.way.as_str() {
            "patch" => "by patch",
            "fallback" => "in spite of a patch",
            other => other,
        }
    }
}

/// The figures of the whole range. A client is a device of an application. It is counted once, with the values that it
/// reported last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TelemetrySummary {
    /// Number of checks and beacons with a device id.
    pub total_requests: u64,
    /// Number of clients.
    pub unique_clients: u64,
    /// Number of clients for which there was nothing newer.
    pub clients_using_latest_version: u64,
    /// Number of the other clients.
    pub clients_outdated: u64,
    /// Number of applications with at least one client.
    pub total_active_apps: u64,
}

/// The versions in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TelemetryVersions {
    /// Number of different versions that clients reported.
    pub used_versions_count: u64,
    /// Versions of releases, highest first.
    pub known_versions: Vec<String>,
    /// Versions that clients reported, most frequent first.
    pub usage: Vec<VersionCount>,
}

/// Number of clients of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VersionCount {
    /// The version.
    pub version: String,
    /// Number of clients.
    pub client_count: u64,
}

/// Number of clients of a platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlatformCount {
    /// The platform; empty if the owner uses none.
    pub platform: String,
    /// Number of clients.
    pub client_count: u64,
}

/// Number of clients of an architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArchCount {
    /// The architecture; empty if the owner uses none.
    pub arch: String,
    /// Number of clients.
    pub client_count: u64,
}

/// Number of clients of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChannelCount {
    /// The channel; empty if the owner uses none.
    pub channel: String,
    /// Number of clients.
    pub client_count: u64,
}

/// The figures of one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DailyStats {
    /// The day, `YYYY-MM-DD` in UTC.
    pub date: String,
    /// Number of checks and beacons with a device id on this day.
    pub total_requests: u64,
    /// Number of clients on this day.
    pub unique_clients: u64,
    /// Number of clients for which there was nothing newer.
    pub clients_using_latest_version: u64,
    /// Number of the other clients.
    pub clients_outdated: u64,
}
