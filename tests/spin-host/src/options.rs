//! Options for running a program.

use std::path::PathBuf;

use crate::limits::Limits;
use spindrift_manifest::Values;

/// Options of one [`Host`](crate::Host).
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// Folder for databases and key-value stores. Created if missing.
    pub state_dir: PathBuf,
    /// File with the places of the stores, and optionally with values of variables. `None`: only the label
    /// `default` exists, in files.
    pub runtime_config: Option<PathBuf>,
    /// Values of application variables. They take precedence over those of `runtime_config`, and these over
    /// the manifest's defaults.
    pub variables: Values,
    /// Limits on requests and instances.
    pub limits: Limits,
}

impl HostOptions {
    /// Uses the defaults of the manifest and the default limits.
    pub fn new(state_dir: impl Into<PathBuf>) -> Self {
        Self {
            state_dir: state_dir.into(),
            runtime_config: None,
            variables: Values::new(),
            limits: Limits::default(),
        }
    }
}
