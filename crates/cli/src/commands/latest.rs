//! `latest`.

use std::path::PathBuf;

use clap::Args;
use reqwest::header::LOCATION;
use serde::Serialize;
use serde_json::json;
use spindrift_api::{LatestBody, LatestUrl};
use spindrift_core::Package;

use crate::context::Context;
use crate::download::{download, file_name};
use crate::error::CliError;
use crate::exit;
use crate::names::CallNames;
use crate::service::read_json;
use crate::unknown::unknown;

#[derive(Debug, Args)]
pub(crate) struct LatestCommand {
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// Owner of the application; by default, the owner from the login.
    #[arg(long, env = "SPINDRIFT_OWNER", value_name = "NAME")]
    owner: Option<String>,
    /// Channel.
    #[arg(long, env = "SPINDRIFT_CHANNEL", value_name = "NAME")]
    channel: Option<String>,
    /// Platform.
    #[arg(long, env = "SPINDRIFT_PLATFORM", value_name = "NAME")]
    platform: Option<String>,
    /// Architecture.
    #[arg(long, env = "SPINDRIFT_ARCH", value_name = "NAME")]
    arch: Option<String>,
    /// Package: `deb`, `dmg`, ...
    #[arg(long, value_name = "NAME")]
    package: Option<String>,
    /// Download the one matching build into this folder (`dir/` is created) or to this file.
    #[arg(long, value_name = "PATH")]
    download: Option<PathBuf>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum LatestReply {
    One(LatestUrl),
    Several(LatestBody),
}

impl LatestCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let builds = self.ask(context).await?;
        match (&builds, &self.download) {
            (LatestReply::One(build), None) => context.output.result(&builds, &build.url),
            (LatestReply::Several(several), None) => {
                let headers = ["CHANNEL", "PLATFORM", "ARCH", "PACKAGE", "URL"];
                context.output.rows(&builds, &headers, &rows(several))
            }
            (LatestReply::One(LatestUrl { url }), Some(to)) => {
                let done = download(context, url, to).await?;
                let answer = json!({ "url": url, "path": done.path, "bytes": done.bytes });
                context.output.result(&answer, &format!("downloaded to {}", done.path.display()))
            }
            (LatestReply::Several(_), Some(_)) => Err(CliError::usage(
                "several builds are left: add --channel, --platform, --arch or --package",
            )),
        }
    }

    async fn ask(&self, context: &Context) -> Result<LatestReply, CliError> {
        let service = context.service()?.anonymous();
        let owner = context.owner(self.owner.as_deref())?;
        let package = self.package.as_ref().map(|package| package.to_lowercase());
        let query: Vec<(&str, &str)> = [
            ("app_name", Some(self.app.as_str())),
            ("owner", Some(owner.as_str())),
            ("channel", self.channel.as_deref()),
            ("platform", self.platform.as_deref()),
            ("arch", self.arch.as_deref()),
            ("package", package.as_deref()),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
        let response = match service.get("/apps/latest").query(&query).ok().await {
            Ok(response) => response,
            Err(error) => return Err(self.explain(context, &query, error).await),
        };
        if let Some(url) = response.headers().get(LOCATION).and_then(|url| url.to_str().ok()) {
            return Ok(LatestReply::One(LatestUrl { url: url.to_owned() }));
        }
        read_json(&service, response).await.map(LatestReply::Several)
    }

    /// Replaces an error about an unknown name: the package, or another name.
    async fn explain(&self, context: &Context, query: &[(&str, &str)], error: CliError) -> CliError {
        if error.exit_code() != exit::NOT_FOUND {
            return error;
        }
        if let Some(package) = &self.package {
            let others: Vec<_> = query.iter().filter(|(name, _)| *name != "package").collect();
            if let Ok(packages) = packages(context, &others).await {
                let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
                return CliError::NotFound(unknown("package", package, &packages));
            }
        }
        let names = CallNames {
            app: Some(&self.app),
            channel: self.channel.as_deref(),
            platform: self.platform.as_deref(),
            arch: self.arch.as_deref(),
            updater: None,
        };
        names.explain_for(context, self.owner.as_deref(), error).await
    }
}

/// The packages of the matching builds.
async fn packages(context: &Context, query: &[&(&str, &str)]) -> Result<Vec<String>, CliError> {
    let service = context.service()?.anonymous();
    let response = service.get("/apps/latest").query(query).ok().await?;
    if let Some(url) = response.headers().get(LOCATION).and_then(|url| url.to_str().ok()) {
        let package = Package::from_file_name(&file_name(url));
        return Ok(vec![package.as_str().to_owned()]);
    }
    let builds: LatestBody = read_json(&service, response).await?;
    Ok(rows(&builds).into_iter().filter_map(|row| row.into_iter().nth(3)).collect())
}

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
