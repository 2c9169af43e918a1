//! The arguments of every command.

use std::path::PathBuf;

use clap::Args;

use crate::secret::Secret;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Globals {
    /// Base URL of the service; by default the one of the last login.
    #[arg(long, global = true, hide_short_help = true, env = "SPINDRIFT_URL", value_name = "URL")]
    pub(crate) url: Option<String>,
    /// A CI token or a JWT; by default the one of the last login. Prefer the environment variable: other
    /// users can see arguments.
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        env = "SPINDRIFT_TOKEN",
        hide_env_values = true,
        value_name = "TOKEN"
    )]
    pub(crate) token: Option<Secret>,
    /// Print results as JSON.
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) json: bool,
    /// Print only results and errors.
    #[arg(long, short, global = true, hide_short_help = true)]
    pub(crate) quiet: bool,
    /// Time limit of one call to the service, in seconds.
    #[arg(long, global = true, hide_short_help = true, env = "SPINDRIFT_TIMEOUT", default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
    /// Folder for logins and uploads under way, instead of the user's folders.
    #[arg(long, global = true, hide_short_help = true, env = "SPINDRIFT_CONFIG_DIR", value_name = "DIR")]
    pub(crate) config_dir: Option<PathBuf>,
}
