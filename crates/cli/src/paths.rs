//! Where the program stores its state.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use crate::error::CliError;

/// Name of the program's folder inside the user's folders.
const FOLDER: &str = "spindrift";

/// The program's folders for this user.
#[derive(Debug, Clone)]
pub(crate) struct Paths {
    config: PathBuf,
    state: PathBuf,
}

impl Paths {
    /// The folder `given`, or the system's standard folders.
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

    /// The file for logins.
    pub(crate) fn credentials(&self) -> PathBuf {
        self.config.join("credentials.json")
    }

    /// The file for the token of a CI job.
    pub(crate) fn job_token(&self) -> PathBuf {
        self.state.join("job-token.json")
    }

    /// The folder for the user's signing keys for an application.
    pub(crate) fn keys(&self, owner: &str, app: &str) -> PathBuf {
        self.config.join("keys").join(owner).join(app)
    }

    /// The folder for signed metadata seen so far, with one file for each repository.
    pub(crate) fn trust(&self) -> PathBuf {
        self.state.join("trust")
    }

    /// The folder for the signed metadata that verified earlier updates of this program.
    pub(crate) fn updates(&self, owner: &str, app: &str) -> PathBuf {
        self.state.join("updates").join(owner).join(app)
    }

    /// The folder for files in transit from other servers, with one folder for each server.
    pub(crate) fn imports(&self) -> PathBuf {
        self.state.join("imports")
    }

    /// The folder for unfinished uploads, with one file for each.
    pub(crate) fn uploads(&self) -> PathBuf {
        self.state.join("uploads")
    }
}
