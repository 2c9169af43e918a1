//! `check`.

mod answer;

use std::path::PathBuf;

use clap::Args;
use spindrift_client::{CheckOptions, CheckResult, Client, Config, GroupKey, OsVersion, Settings};

use self::answer::{CheckReport, SavedFile, as_text, links};
use crate::context::Context;
use crate::download::{download, from_client};
use crate::error::CliError;
use crate::exit::Outcome;
use crate::names::CallNames;
use crate::secret::Secret;
use crate::unknown::{there_are, unknown};

#[derive(Debug, Args)]
pub(crate) struct CheckCommand {
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
    /// Check as a copy in these groups: their keys, at most 4, separated by commas.
    #[arg(long, value_name = "KEYS")]
    group: Option<Secret>,
    /// Check as a copy on this version of the operating system, like `13.6` or `10.0.19045`.
    #[arg(long, value_name = "VERSION")]
    os_version: Option<OsVersion>,
    /// Check as if the user had asked for the update. The edge is not asked.
    #[arg(long)]
    interactive: bool,
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

impl CheckCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        let service = context.service()?;
        let settings = Settings { service_time_out: service.limits().timeout, ..Settings::default() };
        let mut config = Config::new(service.url()).with_settings(settings);
        config.edge_url.clone_from(&self.edge_url);
        let client = Client::new(config).map_err(|error| from_client(service.url(), error))?;
        let options = self.options(context.owner(self.owner.as_deref())?)?;
        let update = match client.check_result(&options).await {
            Ok(update) => update,
            Err(error) => {
                let error = from_client(service.url(), error);
                return Err(self.names().explain_for(context, self.owner.as_deref(), error).await);
            }
        };
        let mut answer = CheckReport::new(&update);
        if let Some(to) = self.download.as_ref().filter(|_| update.update_available) {
            let done = download(context, self.choose(&update)?, to).await?;
            answer.downloaded = Some(SavedFile { path: done.path, bytes: done.bytes });
        }
        context
            .output
            .result(&answer, &as_text(&self.app, &self.version, &update, answer.downloaded.as_ref()))?;
        Ok(if self.exit_code && update.update_available { Outcome::Update } else { Outcome::Done })
    }

    /// The facts that the installed copy reports about itself.
    fn options(&self, owner: String) -> Result<CheckOptions, CliError> {
        let options = CheckOptions::new(owner, &self.app, &self.version)
            .with_target(&self.channel, &self.platform, &self.arch)
            .with_groups(self.groups()?)
            .with_interactive(self.interactive);
        let os_version = self.os_version.as_ref().map(ToString::to_string);
        Ok(CheckOptions { device_id: self.device_id.clone(), os_version, ..options })
    }

    fn groups(&self) -> Result<Vec<GroupKey>, CliError> {
        let Some(keys) = &self.group else { return Ok(Vec::new()) };
        let keys: Result<_, _> = keys.expose().split(',').map(str::parse).collect();
        keys.map_err(|_| CliError::usage("--group: the key of a group is `grp_` and 32 hexadecimal digits"))
    }

    /// The link of the file to download.
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

    fn names(&self) -> CallNames<'_> {
        fn non_empty(name: &str) -> Option<&str> {
            Some(name).filter(|name| !name.is_empty())
        }
        CallNames {
            app: Some(&self.app),
            channel: non_empty(&self.channel),
            platform: non_empty(&self.platform),
            arch: non_empty(&self.arch),
            updater: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Arguments, Command};

    fn options(words: &str) -> Result<CheckOptions, String> {
        let words = format!("spindrift check 1.0 --app notes{words}");
        match Arguments::try_parse_from(words.split(' ')).map_err(|error| error.to_string())?.command {
            Command::Check(check) => check.options("ada".to_owned()).map_err(|error| error.to_string()),
            _ => panic!("another command: {words}"),
        }
    }

    #[test]
    fn a_copy_says_nothing_by_itself() {
        let options = options("").unwrap();
        assert_eq!((options.groups.len(), options.os_version, options.interactive), (0, None, false));
    }

    #[test]
    fn a_copy_says_what_the_options_say() {
        let keys = ["1", "2"].map(|digit| format!("grp_{}", digit.repeat(32)));
        let words = format!(" --group {} --os-version 10.0.19045 --interactive", keys.join(","));
        let options = options(&words).unwrap();
        assert_eq!(options.groups, keys.map(|key| key.parse().unwrap()));
        assert_eq!((options.os_version.as_deref(), options.interactive), (Some("10.0.19045"), true));
    }

    #[test]
    fn mistakes_are_named_without_the_key() {
        let text = options(" --group grp_1").unwrap_err();
        assert_eq!(text, "--group: the key of a group is `grp_` and 32 hexadecimal digits");
        let text = options(" --os-version 13.6b").unwrap_err();
        assert!(text.contains("--os-version"), "{text}");
    }
}
