//! `demo`: runs the main use cases once, from end to end.

mod trust;
mod walk;

use clap::Args;
use spindrift_settings::API_KEY;

use crate::error::LocalError;
use crate::local::{Local, LocalOptions};
use crate::output::say;

/// The arguments of `demo`.
#[derive(Debug, Args)]
pub struct DemoCommand {}

impl DemoCommand {
    /// Starts the application on temporary state and free ports, runs its main use case, and cleans up.
    pub(crate) async fn run(self) -> Result<(), LocalError> {
        let state = tempfile::Builder::new().prefix("spindrift-demo-").tempdir();
        let state = state.map_err(LocalError::file(&std::env::temp_dir()))?;
        let local = Local::start(LocalOptions::new(state.path())).await?;
        let played = play(local.url(), local.variable(API_KEY.row.name).unwrap_or_default()).await;
        local.stop().await;
        played?;
        say!("Done: published, checked, downloaded, verified.");
        Ok(())
    }
}

async fn play(service: &str, api_key: &str) -> Result<(), LocalError> {
    let walk = walk::act(service, api_key).await?;
    trust::act(&walk).await
}
