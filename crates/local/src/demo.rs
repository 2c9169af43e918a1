//! `demo`: runs the main use cases once, from end to end.

mod trust;
mod walk;

use std::path::Path;

use clap::Args;
use spindrift_settings::API_KEY;

use crate::error::LocalError;
use crate::local::{Local, LocalOptions};
use crate::output::say;
use crate::source::Source;
use crate::state_dir::DEFAULT_STATE_DIR;

/// The arguments of `demo`.
#[derive(Debug, Args)]
pub struct Demo {
    #[command(flatten)]
    source: Source,
}

impl Demo {
    /// Starts the application on temporary state and free ports, runs its main use case, and cleans up.
    pub(crate) async fn run(&self) -> Result<(), LocalError> {
        let application = self.source.load(Path::new(DEFAULT_STATE_DIR))?;
        let state = tempfile::Builder::new().prefix("spindrift-demo-").tempdir();
        let state = state.map_err(LocalError::file(&std::env::temp_dir()))?;
        let runtime_config = application.runtime_config;
        let options = LocalOptions { runtime_config, ..LocalOptions::new(state.path()) };
        let local = Local::start(&application.program, options).await?;
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
