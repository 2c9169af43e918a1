//! `telemetry`.

use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::context::Context;
use crate::error::CliError;
use crate::output::{list, text};

/// Arguments of `telemetry`.
#[derive(Debug, Args)]
pub(crate) struct Telemetry {
    /// The last day, like `2026-11-21`; today (UTC) by default.
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
    /// Several days that end with it.
    #[arg(long, value_name = "RANGE")]
    range: Option<Range>,
    /// Of one application; may be repeated.
    #[arg(long = "app", value_name = "NAME")]
    apps: Vec<String>,
    /// In one channel; may be repeated.
    #[arg(long = "channel", value_name = "NAME")]
    channels: Vec<String>,
    /// On one platform; may be repeated.
    #[arg(long = "platform", value_name = "NAME")]
    platforms: Vec<String>,
    /// On one architecture; may be repeated.
    #[arg(long = "arch", value_name = "NAME")]
    archs: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Range {
    /// 7 days.
    Week,
    /// 30 days.
    Month,
}

impl Telemetry {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let range = self.range.map(|range| match range {
            Range::Week => "week".to_owned(),
            Range::Month => "month".to_owned(),
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
        let figures = context.authenticated()?.get("/telemetry").query(&query).json().await?;
        context.output.rows(&figures, &["", "", "DEVICES"], &rows(&figures))
    }
}

/// The summary, and then each distribution.
fn rows(figures: &Value) -> Vec<Vec<String>> {
    let summary = &figures["summary"];
    let mut rows: Vec<Vec<String>> = [
        ("devices", "unique_clients"),
        ("up to date", "clients_using_latest_version"),
        ("outdated", "clients_outdated"),
        ("requests", "total_requests"),
    ]
    .map(|(label, key)| vec!["all".to_owned(), label.to_owned(), text(summary, key)])
    .into();
    for (label, all, key) in [
        ("version", list(&figures["versions"], "usage"), "version"),
        ("channel", list(figures, "channels"), "channel"),
        ("platform", list(figures, "platforms"), "platform"),
        ("arch", list(figures, "architectures"), "arch"),
    ] {
        rows.extend(all.iter().map(|one| vec![label.to_owned(), text(one, key), text(one, "client_count")]));
    }
    rows
}
