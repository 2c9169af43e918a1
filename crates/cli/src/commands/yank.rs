//! `yank`.

use clap::Args;
use serde_json::json;
use spindrift_api::ReleaseUpdateData;

use crate::context::Context;
use crate::error::CliError;
use crate::releases;

/// Arguments of `yank`.
#[derive(Debug, Args)]
pub(crate) struct Yank {
    /// Version of the release.
    version: String,
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
    /// Offer the release again, or publish a draft.
    #[arg(long)]
    undo: bool,
}

impl Yank {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        let release = releases::find(&service, &self.app, &self.version).await?;
        let id = release.id.to_string();
        let change = ReleaseUpdateData { id, publish: Some(self.undo), ..ReleaseUpdateData::default() };
        releases::change(&service, &change).await?;
        let state = if self.undo { "offered" } else { "no longer offered" };
        let answer = json!({ "id": release.id, "version": release.version, "published": self.undo });
        context.output.result(&answer, &format!("{} {} is {state}", self.app, self.version))
    }
}
