//! `check`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use spindrift_client::{CheckOptions, CheckResult, Client, Config, Settings, Source};

use crate::context::Context;
use crate::download::{download, from_client};
use crate::error::CliError;
use crate::exit::Outcome;
use crate::names::Names;
use crate::refusal::one_line;
use crate::unknown::{there_are, unknown};

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The installed version.
    version: String,
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// Owner of the application; by default, the owner from the login.
    #[arg(long, env = "SPINDRIFT_OWNER", value_name = "NAME")]
    owner: Option<String>,
    /// The channel.
    #[arg(
        long,
        env = "SPINDRIFT_CHANNEL",
        default_value = "",
        hide_default_value = true,
        value_name = "NAME"
    )]
    channel: String,
    /// The platform.
    #[arg(
        long,
        env = "SPINDRIFT_PLATFORM",
        default_value = "",
        hide_default_value = true,
        value_name = "NAME"
    )]
    platform: String,
    /// The architecture.
    #[arg(long, env = "SPINDRIFT_ARCH", default_value = "", hide_default_value = true, value_name = "NAME")]
    arch: String,
    /// Check as this device, 1-128 printable characters. It is used for staged rollouts, and it is counted.
    #[arg(long, value_name = "ID")]
    device_id: Option<String>,
    /// URL of an edge, which is asked first.
    #[arg(long, env = "SPINDRIFT_EDGE_URL", value_name = "URL")]
    edge_url: Option<String>,
    /// Download the update into this folder (`dir/` is created) or to this file.
    #[arg(long, value_name = "PATH")]
    download: Option<PathBuf>,
    /// Package to download if there are several: `deb`, `dmg`, ...
    #[arg(long, requires = "download", value_name = "NAME")]
    package: Option<String>,
    /// Exit with 10 if there is an update.
    #[arg(long)]
    exit_code: bool,
}

impl Check {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        let service = context.service()?;
        let settings = Settings { service_time_out: service.limits().timeout, ..Settings::default() };
        let mut config = Config::new(service.url()).with_settings(settings);
        config.edge_url.clone_from(&self.edge_url);
        let client = Client::new(config).map_err(|error| from_client(service.url(), error))?;
        let mut options = CheckOptions::new(context.owner(self.owner.as_deref())?, &self.app, &self.version)
            .with_target(&self.channel, &self.platform, &self.arch);
        options.device_id.clone_from(&self.device_id);
        let update = match client.check_result(&options).await {
            Ok(update) => update,
            Err(error) => {
                let error = from_client(service.url(), error);
                return Err(self.names().explain_for(context, self.owner.as_deref(), error).await);
            }
        };
        let mut answer = Answer::new(&update);
        if let Some(to) = self.download.as_ref().filter(|_| update.update_available) {
            let done = download(context, self.choose(&update)?, to).await?;
            answer.downloaded = Some(Saved { path: done.path, bytes: done.bytes });
        }
        context.output.result(&answer, &as_text(&self, &update, answer.downloaded.as_ref()))?;
        Ok(if self.exit_code && update.update_available { Outcome::Update } else { Outcome::Done })
    }

    /// The link to download.
    fn choose<'a>(&self, update: &'a CheckResult) -> Result<&'a str, CliError> {
        let links = links(update);
        let names: Vec<&str> = links.iter().map(|(name, _)| *name).collect();
        let found = match &self.package {
            Some(package) => links
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(package))
                .ok_or_else(|| CliError::NotFound(unknown("package", package, &names))),
            None => match links.as_slice() {
                [only] => Ok(only),
                _ => Err(CliError::usage(format!("which package? Pass --package. {}", there_are(&names)))),
            },
        };
        found.map(|(_, url)| *url)
    }

    fn names(&self) -> Names<'_> {
        fn given(name: &str) -> Option<&str> {
            Some(name).filter(|name| !name.is_empty())
        }
        Names {
            app: Some(&self.app),
            channel: given(&self.channel),
            platform: given(&self.platform),
            arch: given(&self.arch),
            updater: None,
        }
    }
}

/// The packages and their links.
fn links(update: &CheckResult) -> Vec<(&str, &str)> {
    let bare = update.offer.update_url.iter().map(|url| ("no-extension", url.as_str()));
    bare.chain(update.offer.package_urls.iter().map(|link| (link.package.as_str(), link.url.as_str())))
        .collect()
}

/// The output of `--json`.
#[expect(clippy::struct_excessive_bools, reason = "independent facts of an answer")]
#[derive(Serialize)]
struct Answer<'a> {
    update_available: bool,
    version: Option<&'a str>,
    critical: bool,
    is_intermediate_required: bool,
    possible_rollback: bool,
    withdrawn: Option<&'a str>,
    shut_off: bool,
    held_back: bool,
    changelog: Option<&'a str>,
    signature: Option<&'a str>,
    packages: BTreeMap<&'a str, &'a str>,
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    downloaded: Option<Saved>,
}

/// A downloaded file.
#[derive(Serialize)]
struct Saved {
    path: PathBuf,
    bytes: u64,
}

impl<'a> Answer<'a> {
    fn new(update: &'a CheckResult) -> Self {
        Self {
            update_available: update.update_available,
            version: update.offer.version.as_deref(),
            critical: update.offer.critical,
            is_intermediate_required: update.offer.is_intermediate_required,
            possible_rollback: update.possible_rollback,
            withdrawn: update.withdrawn.as_deref(),
            shut_off: update.shut_off,
            held_back: update.held_back,
            changelog: update.offer.changelog.as_deref(),
            signature: update.offer.signature.as_deref(),
            packages: links(update).into_iter().collect(),
            source: match update.source {
                Source::Edge => "edge",
                Source::Api => "api",
            },
            downloaded: None,
        }
    }
}

fn as_text(asked: &Check, update: &CheckResult, saved: Option<&Saved>) -> String {
    let version = update.offer.version.as_deref().unwrap_or("none");
    let mut lines = Vec::new();
    lines.push(match update.update_available {
        true if update.offer.critical => format!("{version} is available, and critical"),
        true => format!("{version} is available"),
        false if update.shut_off => "updates are shut off".to_owned(),
        false if update.held_back => "the newest release is not rolled out to this device".to_owned(),
        false if update.error.is_some() => format!("nothing is published there for {}", asked.app),
        false if update.possible_rollback => {
            format!("{} is newer than {version}, the newest one", asked.version)
        }
        false => format!("{} is up to date", asked.version),
    });
    if let Some(reason) = &update.withdrawn {
        lines.push(format!("{} was withdrawn: {}", asked.version, one_line(reason)));
    }
    if update.update_available {
        lines.extend(links(update).into_iter().map(|(name, url)| format!("  {name}  {url}")));
    }
    if let Some(saved) = saved {
        lines.push(format!("downloaded to {}", saved.path.display()));
    }
    lines.join("\n")
}
