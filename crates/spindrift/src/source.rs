//! The application to run.

use std::path::{Path, PathBuf};

use clap::Args;
use embedded_host::{HostError, Manifest, Program, build};

/// The flags for the location of the application.
#[derive(Debug, Clone, Args)]
pub(crate) struct Source {
    /// Manifest of the application.
    #[arg(long, default_value = "spin.toml", value_name = "FILE")]
    from: PathBuf,
    /// File that maps key-value and database labels to files; by default `runtime-config.toml` next to the manifest.
    #[arg(long, value_name = "FILE")]
    runtime_config_file: Option<PathBuf>,
    /// Use the components as they are, without building them first.
    #[arg(long)]
    no_build: bool,
    /// Folder for compiled components [default: `cache` in the state folder].
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

impl Source {
    /// The given file, or else `runtime-config.toml` next to the manifest if it exists.
    pub(crate) fn runtime_config(&self) -> Option<PathBuf> {
        let beside = self.from.with_file_name("runtime-config.toml");
        self.runtime_config_file.clone().or_else(|| beside.exists().then_some(beside))
    }

    /// Builds the components, unless told not to, and loads them. Compiled code is kept in `cache`, unless a flag names
    /// another folder.
    pub(crate) fn load(&self, cache: &Path) -> Result<Program, HostError> {
        if !self.no_build {
            build(&Manifest::read(&self.from)?)?;
        }
        Program::load(&self.from, self.cache_dir.as_deref().unwrap_or(cache))
    }
}
