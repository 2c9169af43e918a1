//! `rollout set`.

use clap::Subcommand;
use serde_json::json;
use spindrift_api::{Percentage, ReleaseUpdateData};

use crate::context::Context;
use crate::error::CliError;
use crate::releases;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Rollout {
    /// Offer a release to a percentage of devices.
    Set {
        /// The version.
        version: String,
        /// Percentage: 0 (no device) to 100 (all devices).
        percent: Percentage,
        /// The application.
        #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
        app: String,
    },
}

impl Rollout {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let Self::Set { version, percent, app } = self;
        let service = context.authenticated()?;
        let release = releases::find(&service, &app, &version).await?;
        let id = release.id.to_string();
        let change = ReleaseUpdateData { id, rollout: Some(percent), ..ReleaseUpdateData::default() };
        releases::change(&service, &change).await?;
        let told = format!("{app} {version} is offered to {percent} % of devices");
        let answer = json!({ "id": release.id, "version": release.version, "rollout": percent });
        context.output.result(&answer, &told)
    }
}
