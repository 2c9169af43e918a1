//! How to run a program.

use std::path::PathBuf;

use crate::limits::Limits;
use crate::variables::Values;

/// Settings of one [`Host`](crate::Host).
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// Folder for databases and key-value stores. Created when missing.
    pub state_dir: PathBuf,
    /// Which files stand behind store labels; `None` knows only the label `default`.
    pub runtime_config: Option<PathBuf>,
    /// Values of application variables; stronger than the manifest's defaults.
    pub variables: Values,
    /// Limits on requests and instances.
    pub limits: Limits,
}

impl HostOptions {
    /// Everything else as the manifest says, with the usual limits.
    pub fn new(state_dir: impl Into<PathBuf>) -> Self {
        Self {
            state_dir: state_dir.into(),
            runtime_config: None,
            variables: Values::new(),
            limits: Limits::default(),
        }
    }
}
