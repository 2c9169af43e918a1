//! `demo`: runs the main use cases once, from end to end.

mod trust;
mod walk;

use std::path::Path;

use spindrift_settings::API_KEY;

use crate::error::LocalError;
use crate::local::{Local, LocalOptions};
use crate::source::Source;

/// Starts the application on temporary state and free ports, runs its main use case, and cleans up.
pub(crate) async fn run(source: &Source) -> Result<(), LocalError> {
    let program = source.load(Path::new(".spindrift/cache"))?;
    let state = tempfile::Builder::new().prefix("spindrift-demo-").tempdir();
    let state = state.map_err(LocalError::file(&std::env::temp_dir()))?;
    let options = LocalOptions { runtime_config: source.runtime_config(), ..LocalOptions::new(state.path()) };
    let local = Local::start(&program, options).await?;
    let played = play(local.url(), local.variable(API_KEY.row.name).unwrap_or_default()).await;
    local.stop().await;
    played?;
    println!("Done: published, checked, downloaded, verified.");
    Ok(())
}

async fn play(service: &str, api_key: &str) -> Result<(), LocalError> {
    let walk = walk::act(service, api_key).await?;
    trust::act(&walk).await
}
