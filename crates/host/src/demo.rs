//! `demo`: the main job once, from end to end.

mod walk;

use std::path::PathBuf;

use crate::cli::Source;
use crate::error::HostError;
use crate::options::HostOptions;
use crate::{Host, Program};

/// Starts the application on temporary state and free ports, walks through its main job, and cleans up.
pub(crate) async fn run(source: &Source) -> Result<(), HostError> {
    let manifest = source.build()?;
    let state = TemporaryState::create()?;
    let cache = source.cache_dir.clone().unwrap_or_else(|| PathBuf::from(".spindrift/cache"));
    let program = Program::load(&source.from, &cache)?;
    let options = HostOptions {
        state_dir: state.0.clone(),
        runtime_config: source.runtime_config(),
        ..HostOptions::default()
    };
    let host = Host::start(&program, options).await?;
    let secret = |(name, variable): (&String, &crate::manifest::Variable)| {
        variable.secret.then(|| Some((name.clone(), host.variable(name)?.to_owned()))).flatten()
    };
    let secrets = manifest.variables.iter().filter_map(secret).collect();
    let walked = walk::walk(host.url(), &secrets).await;
    host.stop().await;
    walked
}

/// A folder that is removed at the end.
struct TemporaryState(PathBuf);

impl TemporaryState {
    fn create() -> Result<Self, HostError> {
        let path = std::env::temp_dir().join(format!("spindrift-demo-{}", crate::secrets::generate()?));
        std::fs::create_dir_all(&path).map_err(HostError::file(&path))?;
        Ok(Self(path))
    }
}

impl Drop for TemporaryState {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
