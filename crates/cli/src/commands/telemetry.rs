//! `telemetry`.

use clap::{Args, ValueEnum};
use spindrift_api::TelemetryBody;

use crate::context::Context;
use crate::error::CliError;

#[derive(Debug, Args)]
pub(crate) struct TelemetryCommand {
    /// The last day, like `2026-11-21`; by default today (UTC).
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
    /// Range of days that ends with that day.
    #[arg(long, value_name = "RANGE")]
    range: Option<DayRange>,
    /// Application; may be repeated.
    #[arg(long = "app", value_name = "NAME")]
    apps: Vec<String>,
    /// Channel; may be repeated.
    #[arg(long = "channel", value_name = "NAME")]
    channels: Vec<String>,
    /// Platform; may be repeated.
    #[arg(long = "platform", value_name = "NAME")]
    platforms: Vec<String>,
    /// Architecture; may be repeated.
    #[arg(long = "arch", value_name = "NAME")]
    archs: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DayRange {
    Week,
    Month,
}

impl TelemetryCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let range = self.range.map(|range| match range {
            DayRange::Week => "week".to_owned(),
            DayRange::Month => "month".to_owned(),
        });
        let names = |all: Vec<String>| (!all.is_empty()).then(|| all.join(","));
        let query: Vec<(&str, String)> = [
            ("date", self.date),
            ("range", range),
            ("apps", names(self.apps)),
            ("channels", names(self.channels)),
            ("platforms", names(self.platforms)),
            ("architectures", names(self.archs)),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
        let figures: TelemetryBody = context.authenticated()?.get("/telemetry").query(&query).json().await?;
        context.output.rows(&figures, &["", "", "COUNT"], &rows(&figures))
    }
}

/// The rows of the summary, followed by those of each distribution.
fn rows(figures: &TelemetryBody) -> Vec<Vec<String>> {
    let summary = &figures.summary;
    let summary = [
        ("all", "devices", summary.unique_clients),
        ("all", "up to date", summary.clients_using_latest_version),
        ("all", "outdated", summary.clients_outdated),
        ("all", "requests", summary.total_requests),
    ];
    let versions = figures.versions.usage.iter().map(|of| ("version", of.version.as_str(), of.client_count));
    let channels = figures.channels.iter().map(|of| ("channel", of.channel.as_str(), of.client_count));
    let platforms = figures.platforms.iter().map(|of| ("platform", of.platform.as_str(), of.client_count));
    let archs = figures.architectures.iter().map(|of| ("arch", of.arch.as_str(), of.client_count));
    let downloads = figures.downloads.iter().map(|of| (of.way_name(), of.version.as_str(), of.count));
    summary
        .into_iter()
        .chain(versions)
        .chain(channels)
        .chain(platforms)
        .chain(archs)
        .chain(downloads)
        .map(|(label, name, count)| vec![label.to_owned(), name.to_owned(), count.to_string()])
        .collect()
}
