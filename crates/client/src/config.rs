//! URLs, timeouts and limits.

use std::time::Duration;

/// URLs and settings of a [`Client`](crate::Client).
#[derive(Debug, Clone)]
pub struct Config {
    /// The service's URL, for example `https://updates.example`. May have a path. Required.
    pub base_url: String,
    /// The URL of an edge location, which is asked first. `None` or empty: no edge.
    pub edge_url: Option<String>,
    /// Timeouts and limits.
    pub settings: Settings,
}

impl Config {
    /// A service without an edge, with the default settings.
    pub fn new(base_url: impl Into<String>) -> Self {
        Self { base_url: base_url.into(), edge_url: None, settings: Settings::default() }
    }

    /// Adds an edge location, which is asked first.
    #[must_use]
    pub fn with_edge(mut self, edge_url: impl Into<String>) -> Self {
        self.edge_url = Some(edge_url.into());
        self
    }

    /// Replaces the settings.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }
}

/// Timeouts and limits of everything except downloads, which have [`DownloadLimits`](crate::DownloadLimits).
/// A timeout covers the whole exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// For the edge's answer. Short, because the service is asked after it. Default 3 seconds.
    pub edge_time_out: Duration,
    /// For the service's answer to a check or a report. Default 10 seconds.
    pub service_time_out: Duration,
    /// For the beacon after an answer from the edge, which delays the check by at most this long. Default 2
    /// seconds.
    pub beacon_time_out: Duration,
    /// Longest accepted answer, in bytes. Default 4 MiB: room for two release notes of the largest size that
    /// the service accepts.
    pub max_answer_bytes: usize,
    /// Limits of failure reports.
    pub report: ReportLimits,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            edge_time_out: Duration::from_secs(3),
            service_time_out: Duration::from_secs(10),
            beacon_time_out: Duration::from_secs(2),
            max_answer_bytes: 4 * 1024 * 1024,
            report: ReportLimits::default(),
        }
    }
}

/// Limits of the details of a failure report. The defaults are those of the service, so that nothing is sent
/// that it would refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportLimits {
    /// Longest details as JSON text, in bytes. Default 1 MiB.
    pub max_details_bytes: usize,
    /// Longest details after compression, in bytes. Default 128 KiB.
    pub max_compressed_bytes: usize,
}

impl Default for ReportLimits {
    fn default() -> Self {
        Self { max_details_bytes: 1024 * 1024, max_compressed_bytes: 128 * 1024 }
    }
}
