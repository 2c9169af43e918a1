//! `releases`.

use clap::Args;
use spindrift_api::{ArtifactEntry, ReleaseEntry, SearchBody};
use spindrift_core::BasisPoints;

use super::rollout::time;
use super::scope::ScopeFilter;
use crate::context::Context;
use crate::error::CliError;
use crate::names::CallNames;
use crate::output::yes_or_empty;

#[derive(Debug, Args)]
pub(crate) struct ReleasesCommand {
    /// Only releases of this application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: Option<String>,
    #[command(flatten)]
    scope: ScopeFilter,
    /// Only published releases; `false` for only unpublished ones.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    published: Option<bool>,
    /// Only critical releases; `false` for only others.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    critical: Option<bool>,
    /// Number of the page.
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    page: u32,
    /// Releases on a page, 1-100.
    #[arg(long, default_value_t = 20, value_name = "COUNT")]
    limit: u32,
}

impl ReleasesCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        let query: Vec<(&str, String)> = [
            ("app_name", self.app.clone()),
            ("published", self.published.map(|flag| flag.to_string())),
            ("critical", self.critical.map(|flag| flag.to_string())),
            ("page", Some(self.page.to_string())),
            ("limit", Some(self.limit.to_string())),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .chain(self.scope.query().map(|(name, value)| (name, value.to_owned())))
        .collect();
        let found: SearchBody = service.get("/search").query(&query).json().await?;
        if found.items.is_empty() {
            // The service answers unknown names with an empty list, so check them.
            let ScopeFilter { channel, platform, arch } = &self.scope;
            let names = CallNames {
                app: self.app.as_deref(),
                channel: channel.as_deref(),
                platform: platform.as_deref(),
                arch: arch.as_deref(),
                updater: None,
            };
            names.check(&service).await?;
        }
        let rows: Vec<Vec<String>> = found.items.iter().map(row).collect();
        let headers = ["APP", "VERSION", "CHANNEL", "STATE", "CRITICAL", "MUST", "ROLLOUT", "FILES"];
        context.output.rows(&found, &headers, &rows)?;
        if found.total > rows.len() as u64 {
            let text = format!("{} of {}: see --page and --limit", rows.len(), found.total);
            context.output.message(&text);
        }
        Ok(())
    }
}

fn row(release: &ReleaseEntry) -> Vec<String> {
    vec![
        release.app_name.clone(),
        release.version.clone(),
        release.channel.clone(),
        state(release),
        yes_or_empty(release.critical),
        yes_or_empty(release.intermediate),
        rollout(release),
        release.artifacts.iter().map(file).collect::<Vec<_>>().join(", "),
    ]
}

/// The state, with the time of a schedule.
fn state(release: &ReleaseEntry) -> String {
    match &release.publish_at {
        Some(at) => format!("{} for {}", release.state, time(at)),
        None => release.state.clone(),
    }
}

/// The percentage, with the state of the rollout if a plan runs, or it is paused or halted.
fn rollout(release: &ReleaseEntry) -> String {
    let word = match release.rollout_state.as_str() {
        "running" => ", plan",
        "paused" => ", paused",
        "halted" => ", halted",
        _ => "",
    };
    match BasisPoints::new(release.basis_points) {
        Some(part) => format!("{part}%{word}"),
        None => format!("{}%{word}", release.rollout_percent),
    }
}

fn file(file: &ArtifactEntry) -> String {
    let place = [file.platform.as_str(), file.arch.as_str()];
    let place = place.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
    if place.is_empty() { file.package.clone() } else { format!("{} ({place})", file.package) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A release with additional fields.
    fn release(fields: &serde_json::Value) -> ReleaseEntry {
        let mut release = json!({
            "ID": "r", "AppName": "notes", "Version": "2.0", "Channel": "", "Published": true, "Critical": false,
            "Intermediate": false, "Artifacts": [], "Changelog": [], "Created_at": "", "Updated_at": "",
            "RolloutPercent": 100, "BasisPoints": 10_000, "RolloutState": "complete", "RolloutSeed": "s",
            "State": "published", "Revision": 1,
        });
        release.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        serde_json::from_value(release).unwrap()
    }

    #[test]
    fn states_have_the_time_of_a_schedule() {
        let at = "2026-12-01T08:00:00+00:00";
        for (fields, shown) in [
            (json!({ "State": "draft", "Published": false }), "draft"),
            (json!({ "State": "scheduled", "PublishAt": at }), "scheduled for 2026-12-01 08:00 UTC"),
            (json!({ "State": "published" }), "published"),
            (json!({ "State": "withdrawn", "Published": false }), "withdrawn"),
        ] {
            assert_eq!(state(&release(&fields)), shown, "{fields}");
        }
    }

    #[test]
    fn rollouts_have_decimals_and_a_word() {
        for (percent, basis_points, state, shown) in [
            (0, 10, "running", "0.1%, plan"),
            (12, 1225, "fixed", "12.25%"),
            (5, 500, "paused", "5%, paused"),
            (28, 2800, "halted", "28%, halted"),
            (100, 10_000, "complete", "100%"),
        ] {
            let fields =
                json!({ "RolloutPercent": percent, "BasisPoints": basis_points, "RolloutState": state });
            assert_eq!(rollout(&release(&fields)), shown);
        }
    }
}
