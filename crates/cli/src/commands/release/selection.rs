//! The release that a command is about.

use clap::Args;

#[derive(Debug, Args)]
pub(super) struct ReleaseSelection {
    /// Version of the release.
    pub(super) version: String,
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    pub(super) app: String,
}
