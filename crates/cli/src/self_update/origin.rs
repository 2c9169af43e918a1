//! The server with newer versions of this program.

use std::path::PathBuf;

use clap::Args;
use spindrift_client::{CheckOptions, Client, Config, Settings, Trust, TrustConfig, running_target};

use crate::context::Context;
use crate::download::from_client;
use crate::error::CliError;

/// The version of this program.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// `build.rs` ensures that a build has all of these or none.
const URL: Option<&str> = option_env!("SPINDRIFT_UPDATE_URL");
const OWNER: Option<&str> = option_env!("SPINDRIFT_UPDATE_OWNER");
const APP: Option<&str> = option_env!("SPINDRIFT_UPDATE_APP");
const ROOT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/update-root.json"));

/// The channel of stable releases. Copies on other channels accept its files too.
const STABLE: &str = "stable";

/// Options that replace the server in the build. Neither environment variables nor `spindrift.toml`
/// set them: those are about the applications that the user publishes.
#[derive(Debug, Args)]
pub(crate) struct OriginOptions {
    /// URL of the service that has this program; by default that of the build.
    #[arg(long, value_name = "URL")]
    from: Option<String>,
    /// Owner of the application there; by default that of the build.
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// The application there; by default that of the build.
    #[arg(long, value_name = "NAME")]
    app: Option<String>,
    /// The channel.
    #[arg(long, default_value = STABLE, value_name = "NAME")]
    channel: String,
    /// The root that verifies what was signed; by default that of the build.
    #[arg(long, value_name = "FILE")]
    root: Option<PathBuf>,
}

/// The server, and how to verify its answers.
pub(super) struct Origin {
    pub(super) url: String,
    pub(super) client: Client,
    pub(super) options: CheckOptions,
    pub(super) trust: Trust,
}

impl Origin {
    /// Does not connect.
    pub(super) fn new(context: &Context, options: OriginOptions) -> Result<Self, CliError> {
        let url = given_or_built(options.from, URL)?;
        let (owner, app) = (given_or_built(options.owner, OWNER)?, given_or_built(options.app, APP)?);
        let root = match &options.root {
            Some(file) => std::fs::read(file).map_err(CliError::file(file))?,
            None if ROOT.is_empty() => return Err(missing_origin()),
            None => ROOT.to_vec(),
        };
        let service = context.service_at(&url)?;
        let settings = Settings { service_time_out: service.limits().timeout, ..Settings::default() };
        let config = Config::new(service.url()).with_settings(settings);
        let failed = |error| from_client(service.url(), error);
        let client = Client::new(config).map_err(failed)?;
        let target = running_target();
        let state = context.paths.updates(&owner, &app);
        let trusted =
            TrustConfig::new(root, format!("{owner}/{app}"), state).with_accepted_channels([STABLE]);
        let options =
            CheckOptions::new(owner, app, VERSION).with_target(options.channel, target.platform, target.arch);
        let trust = client.trust(&trusted, &options).map_err(failed)?;
        Ok(Self { url: service.url().to_owned(), client, options, trust })
    }
}

fn given_or_built(option: Option<String>, built: Option<&str>) -> Result<String, CliError> {
    let built = built.filter(|value| !value.is_empty());
    option.or_else(|| built.map(str::to_owned)).ok_or_else(missing_origin)
}

fn missing_origin() -> CliError {
    CliError::usage(
        "this build names no server with newer versions: install one as you installed this one, or pass \
         --from, --owner, --app and --root",
    )
}
