//! The arguments that every command has.

use std::path::PathBuf;

use clap::Args;

use crate::secret::Secret;

/// What every command understands.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Globals {
    /// Base address of the service; without it the one of the last login.
    #[arg(long, global = true, env = "SPINDRIFT_URL", value_name = "URL")]
    pub(crate) url: Option<String>,
    /// A CI token or a JWT; without it the one of the login. Prefer the variable: other users can see arguments.
    #[arg(long, global = true, env = "SPINDRIFT_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    pub(crate) token: Option<Secret>,
    /// Print results as JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say nothing but results and errors.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Seconds that one call of the service may take.
    #[arg(long, global = true, env = "SPINDRIFT_TIMEOUT", default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
    /// Folder for logins and uploads under way, instead of the user's own.
    #[arg(long, global = true, env = "SPINDRIFT_CONFIG_DIR", value_name = "DIR")]
    pub(crate) config_dir: Option<PathBuf>,
}
