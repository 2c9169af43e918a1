//! The answer of `GET /telemetry`.

use serde::{Deserialize, Serialize};

/// Body of the figures of a day or of a range of days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TelemetryBody {
    /// The last day, `YYYY-MM-DD` in UTC.
    pub date: String,
    /// All days, oldest first.
    pub date_range: Vec<String>,
    /// The owner of the applications.
    pub admin: String,
    /// All together.
    pub summary: TelemetrySummary,
    /// By version.
    pub versions: TelemetryVersions,
    /// By platform, most frequent first.
    pub platforms: Vec<PlatformCount>,
    /// By architecture, most frequent first.
    pub architectures: Vec<ArchCount>,
    /// By channel, most frequent first.
    pub channels: Vec<ChannelCount>,
    /// Each day by itself, oldest first.
    pub daily_stats: Vec<DailyStats>,
}

/// The figures of the whole range. A client is a device of an application, counted once, with what it reported last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TelemetrySummary {
    /// Checks and beacons with a device identifier.
    pub total_requests: u64,
    /// Clients.
    pub unique_clients: u64,
    /// Clients for which there was nothing newer.
    pub clients_using_latest_version: u64,
    /// The other clients.
    pub clients_outdated: u64,
    /// Applications with at least one client.
    pub total_active_apps: u64,
}

/// Which versions are in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TelemetryVersions {
    /// How many different ones clients reported.
    pub used_versions_count: u64,
    /// The versions of releases, highest first.
    pub known_versions: Vec<String>,
    /// What clients reported, most frequent first.
    pub usage: Vec<VersionCount>,
}

/// Clients of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionCount {
    /// The version.
    pub version: String,
    /// Clients.
    pub client_count: u64,
}

/// Clients of a platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlatformCount {
    /// The platform; empty when the owner uses none.
    pub platform: String,
    /// Clients.
    pub client_count: u64,
}

/// Clients of an architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchCount {
    /// The architecture; empty when the owner uses none.
    pub arch: String,
    /// Clients.
    pub client_count: u64,
}

/// Clients of a channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChannelCount {
    /// The channel; empty when the owner uses none.
    pub channel: String,
    /// Clients.
    pub client_count: u64,
}

/// The figures of one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DailyStats {
    /// The day.
    pub date: String,
    /// As in [`TelemetrySummary`].
    pub total_requests: u64,
    /// As in [`TelemetrySummary`].
    pub unique_clients: u64,
    /// As in [`TelemetrySummary`].
    pub clients_using_latest_version: u64,
    /// As in [`TelemetrySummary`].
    pub clients_outdated: u64,
}
