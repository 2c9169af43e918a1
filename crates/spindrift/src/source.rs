//! Which application is run.

use std::path::{Path, PathBuf};

use clap::Args;
use embedded_host::{HostError, Manifest, Program, build};

/// The flags that say where it is.
#[derive(Debug, Clone, Args)]
pub(crate) struct Source {
    /// Manifest of the application.
    #[arg(long, default_value = "spin.toml", value_name = "FILE")]
    from: PathBuf,
    /// Which files stand behind key-value and database labels; looked for next to the manifest by default.
    #[arg(long, value_name = "FILE")]
    runtime_config_file: Option<PathBuf>,
    /// Take the components as they are instead of building them first.
    #[arg(long)]
    no_build: bool,
    /// Folder for compiled components [default: `cache` in the state folder].
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

impl Source {
    /// The file given, or `runtime-config.toml` next to the manifest when there is one.
    pub(crate) fn runtime_config(&self) -> Option<PathBuf> {
        let beside = self.from.with_file_name("runtime-config.toml");
        self.runtime_config_file.clone().or_else(|| beside.exists().then_some(beside))
    }

    /// Builds the components unless told not to, and loads them. Their code is kept in `cache` where no flag names a folder.
    pub(crate) fn load(&self, cache: &Path) -> Result<Program, HostError> {
        if !self.no_build {
            build(&Manifest::read(&self.from)?)?;
        }
        Program::load(&self.from, self.cache_dir.as_deref().unwrap_or(cache))
    }
}
