//! `releases`.

use clap::Args;
use serde_json::Value;

use super::scope::Scope;
use crate::context::Context;
use crate::error::CliError;
use crate::output::{list, text, yes};

/// Arguments of `releases`.
#[derive(Debug, Args)]
pub(crate) struct Releases {
    /// Of one application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: Option<String>,
    #[command(flatten)]
    scope: Scope,
    /// Only published ones, or with `false` only others.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    published: Option<bool>,
    /// Only critical ones, or with `false` only others.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    critical: Option<bool>,
    /// Which page.
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    page: u32,
    /// Releases of a page, 1-100.
    #[arg(long, default_value_t = 20, value_name = "COUNT")]
    limit: u32,
}

impl Releases {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let query: Vec<(&str, String)> = [
            ("app_name", self.app),
            ("published", self.published.map(|flag| flag.to_string())),
            ("critical", self.critical.map(|flag| flag.to_string())),
            ("page", Some(self.page.to_string())),
            ("limit", Some(self.limit.to_string())),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .chain(self.scope.query().map(|(name, value)| (name, value.to_owned())))
        .collect();
        let found = context.authenticated()?.get("/search").query(&query).json().await?;
        let items = list(&found, "items");
        let rows: Vec<Vec<String>> = items.iter().map(row).collect();
        let headers = ["APP", "VERSION", "CHANNEL", "PUBLISHED", "CRITICAL", "MUST", "ROLLOUT", "FILES"];
        context.output.rows(&found, &headers, &rows)?;
        let total = found["total"].as_u64().unwrap_or(0);
        if total > items.len() as u64 {
            context.output.message(&format!("{} of {total}: see --page and --limit", items.len()));
        }
        Ok(())
    }
}

fn row(release: &Value) -> Vec<String> {
    let files = list(release, "Artifacts").iter().map(|file| {
        let place = [text(file, "platform"), text(file, "arch")];
        let place = place.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
        let package = text(file, "package");
        if place.is_empty() { package } else { format!("{package} ({place})") }
    });
    vec![
        text(release, "AppName"),
        text(release, "Version"),
        text(release, "Channel"),
        yes(release, "Published"),
        yes(release, "Critical"),
        yes(release, "Intermediate"),
        format!("{}%", text(release, "RolloutPercent")),
        files.collect::<Vec<_>>().join(", "),
    ]
}
