//! `latest`.

use std::path::PathBuf;

use clap::Args;
use reqwest::header::LOCATION;
use serde::Serialize;
use serde_json::json;
use spindrift_api::{LatestBody, LatestUrl};

use super::scope::Scope;
use crate::context::Context;
use crate::download::download;
use crate::error::CliError;
use crate::service::read_json;

/// Arguments of `latest`.
#[derive(Debug, Args)]
pub(crate) struct Latest {
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// Owner of the application; by default, the owner from the login.
    #[arg(long, env = "SPINDRIFT_OWNER", value_name = "NAME")]
    owner: Option<String>,
    #[command(flatten)]
    scope: Scope,
    /// Package: `deb`, `dmg`, ...
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
    /// Download the one matching build into this folder or to this file.
    #[arg(long, value_name = "PATH")]
    download: Option<PathBuf>,
}

/// The builds in the answer.
#[derive(Serialize)]
#[serde(untagged)]
enum Builds {
    One(LatestUrl),
    Several(LatestBody),
}

impl Latest {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let builds = self.ask(context).await?;
        match (&builds, &self.download) {
            (Builds::One(build), None) => context.output.result(&builds, &build.url),
            (Builds::Several(several), None) => {
                let headers = ["CHANNEL", "PLATFORM", "ARCH", "PACKAGE", "URL"];
                context.output.rows(&builds, &headers, &rows(several))
            }
            (Builds::One(LatestUrl { url }), Some(to)) => {
                let done = download(context, url, to).await?;
                let answer = json!({ "url": url, "path": done.path, "bytes": done.bytes });
                context.output.result(&answer, &format!("downloaded to {}", done.path.display()))
            }
            (Builds::Several(_), Some(_)) => Err(CliError::usage(
                "several builds are left: add --channel, --platform, --arch or --package",
            )),
        }
    }

    async fn ask(&self, context: &Context) -> Result<Builds, CliError> {
        let service = context.service()?.anonymous();
        let owner = context.owner(self.owner.as_deref())?;
        let query: Vec<(&str, &str)> = [("app_name", self.app.as_str()), ("owner", &owner)]
            .into_iter()
            .chain(self.scope.query())
            .chain(self.package.as_deref().map(|package| ("package", package)))
            .collect();
        let response = service.get("/apps/latest").query(&query).ok().await?;
        if let Some(url) = response.headers().get(LOCATION).and_then(|url| url.to_str().ok()) {
            return Ok(Builds::One(LatestUrl { url: url.to_owned() }));
        }
        read_json(&service, response).await.map(Builds::Several)
    }
}

/// One row for each build.
fn rows(builds: &LatestBody) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (channel, platforms) in builds {
        for (platform, archs) in platforms {
            for (arch, packages) in archs {
                let row = |(package, build): (&String, &LatestUrl)| {
                    [channel, platform, arch, package, &build.url].map(String::clone).into()
                };
                rows.extend(packages.iter().map(row));
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_become_rows() {
        let builds = r#"{"stable": {"linux": {"amd64": {"deb": {"url": "u1"}, "rpm": {"url": "u2"}}}}}"#;
        assert_eq!(
            rows(&serde_json::from_str(builds).unwrap()),
            [["stable", "linux", "amd64", "deb", "u1"], ["stable", "linux", "amd64", "rpm", "u2"]]
        );
    }
}
