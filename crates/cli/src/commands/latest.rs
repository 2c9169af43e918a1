//! `latest`.

use std::path::PathBuf;

use clap::Args;
use reqwest::header::LOCATION;
use serde_json::{Value, json};

use super::scope::Scope;
use crate::context::Context;
use crate::download::download;
use crate::error::CliError;
use crate::service::read;

/// Arguments of `latest`.
#[derive(Debug, Args)]
pub(crate) struct Latest {
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// Whose application; without it, the owner of the login.
    #[arg(long, env = "SPINDRIFT_OWNER", value_name = "NAME")]
    owner: Option<String>,
    #[command(flatten)]
    scope: Scope,
    /// One package: `deb`, `dmg`, ...
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
    /// Download the one build that is left into this folder, or to this file.
    #[arg(long, value_name = "PATH")]
    download: Option<PathBuf>,
}

impl Latest {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let builds = self.ask(context).await?;
        let Some(to) = &self.download else {
            let headers = ["CHANNEL", "PLATFORM", "ARCH", "PACKAGE", "URL"];
            return match builds["url"].as_str() {
                Some(url) => context.output.result(&builds, url),
                None => context.output.rows(&builds, &headers, &rows(&builds, &[])),
            };
        };
        let url = builds["url"].as_str().ok_or_else(|| {
            CliError::usage("several builds are left: add --channel, --platform, --arch or --package")
        })?;
        let done = download(context, url, to).await?;
        let answer = json!({ "url": url, "path": done.path, "bytes": done.bytes });
        context.output.result(&answer, &format!("downloaded to {}", done.path.display()))
    }

    /// The one build as `{"url"}`, or several as nested keys.
    async fn ask(&self, context: &Context) -> Result<Value, CliError> {
        let service = context.service()?.anonymous();
        let owner = context.owner(self.owner.as_deref())?;
        let query: Vec<(&str, &str)> = [("app_name", self.app.as_str()), ("owner", &owner)]
            .into_iter()
            .chain(self.scope.query())
            .chain(self.package.as_deref().map(|package| ("package", package)))
            .collect();
        let response = service.get("/apps/latest").query(&query).ok().await?;
        if let Some(url) = response.headers().get(LOCATION).and_then(|url| url.to_str().ok()) {
            return Ok(json!({ "url": url }));
        }
        let body = read(&service, response).await?;
        serde_json::from_slice(&body).map_err(|_| CliError::NotSpindrift {
            url: service.url().to_owned(),
            reason: "builds that are no JSON".to_owned(),
        })
    }
}

/// One row for each leaf of the nested keys.
fn rows(builds: &Value, path: &[&str]) -> Vec<Vec<String>> {
    let Some(entries) = builds.as_object() else { return Vec::new() };
    if let Some(url) = builds["url"].as_str() {
        let cells = path.iter().copied().chain([url]).map(str::to_owned);
        return vec![cells.collect()];
    }
    entries.iter().flat_map(|(key, inner)| rows(inner, &[path, &[key.as_str()]].concat())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_become_rows() {
        let builds = json!({"stable": {"linux": {"amd64": {"deb": {"url": "u1"}, "rpm": {"url": "u2"}}}}});
        assert_eq!(
            rows(&builds, &[]),
            [["stable", "linux", "amd64", "deb", "u1"], ["stable", "linux", "amd64", "rpm", "u2"]]
        );
    }
}
