//! `backup`: copies the state of the service, while it may run.
//!
//! A backup is a folder with the layout of a state folder. It is written under another name and renamed when it is whole, so
//! that nobody takes a part of one for a backup.

use std::path::{Path, PathBuf};

use clap::Args;
use embedded_host::{BackedUp, sync_folder};
use jiff::Timestamp;
use jiff::civil::DateTime;
use tempfile::TempDir;

use crate::error::LocalError;
use crate::output::say;
use crate::secrets::Secrets;
use crate::state_dir::{self, DEFAULT_STATE_DIR};

/// The names of folders that are not whole yet begin with this.
pub(crate) const DRAFT_PREFIX: &str = ".new-";
/// The name of a backup: the time in UTC. Names in the order of their characters are in the order of time.
const NAME: &str = "%Y-%m-%dT%H-%M-%SZ";
/// The unit in which sizes are shown.
const BYTES_PER_MIB: u64 = 1024 * 1024;

/// The arguments of `backup`.
#[derive(Debug, Args)]
pub struct Backup {
    /// Folder for backups, each in a folder named after the time. Created if missing.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Folder with the database, objects and secrets of the service.
    #[arg(long, default_value = DEFAULT_STATE_DIR, value_name = "DIR")]
    state_dir: PathBuf,
}

/// A finished backup.
#[derive(Debug)]
struct Finished {
    path: PathBuf,
    /// `None`: the objects are elsewhere.
    objects: Option<BackedUp>,
    has_secrets: bool,
}

impl Backup {
    pub(crate) fn run(&self) -> Result<(), LocalError> {
        for line in self.make(Timestamp::now())?.lines() {
            say!("{line}");
        }
        Ok(())
    }

    fn make(&self, now: Timestamp) -> Result<Finished, LocalError> {
        let state = state_dir::files(&self.state_dir);
        if !state.database.is_file() {
            return Err(LocalError::NothingToBackUp { state_dir: self.state_dir.clone() });
        }
        state_dir::open(&self.to)?;
        let path = self.to.join(now.strftime(NAME).to_string());
        if path.exists() {
            return Err(LocalError::BackupExists { path });
        }
        let earlier = newest(&self.to)?.map(|earlier| state_dir::files(&earlier));
        let draft = draft_in(&self.to)?;
        let objects = state.back_up(&state_dir::files(draft.path()), earlier.as_ref())?;
        let objects = state.has_storage().then_some(objects);
        let has_secrets = Secrets::copy(&self.state_dir, draft.path())?;
        sync_folder(draft.path()).map_err(LocalError::file(draft.path()))?;
        std::fs::rename(draft.path(), &path).map_err(LocalError::file(&path))?;
        sync_folder(&self.to).map_err(LocalError::file(&self.to))?;
        Ok(Finished { path, objects, has_secrets })
    }
}

impl Finished {
    /// The lines to print.
    fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("Backup {}", self.path.display())];
        lines.push(match self.objects {
            Some(BackedUp { files, bytes, new_files }) => {
                let size = bytes.div_ceil(BYTES_PER_MIB);
                format!("Objects: {files} files, {size} MiB. {new_files} are new, the others are shared with earlier backups")
            }
            None => "The object storage is not in the state folder: back up its buckets where they are".to_owned(),
        });
        if !self.has_secrets {
            lines.push("There is no secrets.json: back up the settings of the service too".to_owned());
        }
        lines
    }
}

/// A folder that only its owner may look into. It is removed, unless it is renamed.
pub(crate) fn draft_in(folder: &Path) -> Result<TempDir, LocalError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(DRAFT_PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(folder).map_err(LocalError::file(folder))
}

/// The newest backup in a folder. Anything else in the folder is ignored.
fn newest(folder: &Path) -> Result<Option<PathBuf>, LocalError> {
    let mut newest = None;
    for entry in folder.read_dir().map_err(LocalError::file(folder))? {
        let name = entry.map_err(LocalError::file(folder))?.file_name();
        let is_backup = name.to_str().is_some_and(|name| DateTime::strptime(NAME, name).is_ok());
        newest = newest.max(is_backup.then_some(name));
    }
    Ok(newest.map(|name| folder.join(name)))
}

#[cfg(test)]
mod tests;
