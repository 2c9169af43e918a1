//! Where the program keeps what it remembers.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use crate::error::CliError;

/// The program's folder inside the user's.
const FOLDER: &str = "spindrift";

/// Folders of this user.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    config: PathBuf,
    state: PathBuf,
}

impl Paths {
    /// `given`, or the folders that the system has for this.
    pub(crate) fn find(given: Option<&Path>) -> Result<Self, CliError> {
        if let Some(folder) = given {
            return Ok(Self { config: folder.to_owned(), state: folder.to_owned() });
        }
        let strategy = etcetera::choose_base_strategy().map_err(|_| {
            CliError::usage("the home folder is unknown: set HOME, or SPINDRIFT_CONFIG_DIR to a folder")
        })?;
        let state = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
        Ok(Self { config: strategy.config_dir().join(FOLDER), state: state.join(FOLDER) })
    }

    /// Tokens.
    pub(crate) fn credentials(&self) -> PathBuf {
        self.config.join("credentials.json")
    }

    /// Uploads that are under way, one file each.
    pub(crate) fn uploads(&self) -> PathBuf {
        self.state.join("uploads")
    }
}
