//! When the state folder was last backed up: `backup` writes a note for the metrics of `up`.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;

use crate::error::LocalError;
use crate::secrets::Secrets;

/// The note in a state folder.
fn path(state_dir: &Path) -> PathBuf {
    state_dir.join("last-backup")
}

/// Records a complete backup.
pub(crate) fn record(state_dir: &Path, at: Timestamp) -> Result<(), LocalError> {
    let path = path(state_dir);
    std::fs::write(&path, at.to_string()).map_err(LocalError::file(&path))
}

/// The time of the last backup. If there is none, the time of the secrets, which are generated at the first
/// start. `None` if there are none either.
pub(crate) fn time(state_dir: &Path) -> Option<SystemTime> {
    let noted = std::fs::read_to_string(path(state_dir)).ok();
    let noted = noted.and_then(|text| text.trim().parse::<Timestamp>().ok()).map(SystemTime::from);
    noted.or_else(|| std::fs::metadata(Secrets::path(state_dir)).ok()?.modified().ok())
}
