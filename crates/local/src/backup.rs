//! `backup`: copies the state of the service, which may be running.
//!
//! A backup is a folder with the layout of a state folder. It is written under another name and renamed once
//! it is complete, so that nobody mistakes a partial one for a backup.

use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use jiff::Timestamp;
use jiff::civil::DateTime;
use spindrift_http::log_line;
use spindrift_store::{BackupSummary, sync_folder};
use tempfile::TempDir;

use crate::error::LocalError;
use crate::last_backup;
use crate::output::say;
use crate::secrets::Secrets;
use crate::state_dir::{self, DEFAULT_STATE_DIR};

/// Prefix of the names of folders that are not complete yet.
pub(crate) const DRAFT_PREFIX: &str = ".new-";
/// The name of a backup: the time in UTC. The alphabetical order of names is the order of time.
const NAME: &str = "%Y-%m-%dT%H-%M-%SZ";
/// The unit in which sizes are shown.
const BYTES_PER_MIB: u64 = 1024 * 1024;

/// The arguments of `backup`.
#[derive(Debug, Args)]
pub struct BackupCommand {
    /// Folder for backups, each in a folder named after the time. Created if missing.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Folder with the database, objects and secrets of the service.
    #[arg(long, default_value = DEFAULT_STATE_DIR, value_name = "DIR")]
    state_dir: PathBuf,
    /// Afterwards delete the oldest backups, and keep this many. Other files and folders stay.
    #[arg(long, value_name = "COUNT")]
    keep: Option<NonZeroUsize>,
}

/// A finished backup.
#[derive(Debug)]
struct FinishedBackup {
    path: PathBuf,
    /// `None` if the objects are stored elsewhere.
    objects: Option<BackupSummary>,
    has_secrets: bool,
}

impl BackupCommand {
    pub(crate) fn run(&self) -> Result<(), LocalError> {
        let now = Timestamp::now();
        for line in self.make(now)?.lines() {
            say!("{line}");
        }
        if let Err(error) = last_backup::record(&self.state_dir, now) {
            log_line(&format!("note: the metrics do not show this backup: {error}"));
        }
        if let Some(keep) = self.keep {
            let deleted = delete_older(&self.to, keep)?;
            say!("Deleted {deleted} older {}", if deleted == 1 { "backup" } else { "backups" });
        }
        Ok(())
    }

    fn make(&self, now: Timestamp) -> Result<FinishedBackup, LocalError> {
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
        Ok(FinishedBackup { path, objects, has_secrets })
    }
}

impl FinishedBackup {
    /// The lines to print.
    fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("Backup {}", self.path.display())];
        lines.push(match self.objects {
            Some(BackupSummary { files, bytes, new_files }) => {
                let size = bytes.div_ceil(BYTES_PER_MIB);
                format!(
                    "Objects: {files} files, {size} MiB. {new_files} are new, the others are shared with \
                     earlier backups"
                )
            }
            None => {
                "The object storage is not in the state folder: back up its buckets where they are".to_owned()
            }
        });
        if !self.has_secrets {
            lines.push("There is no secrets.json: back up the settings of the service too".to_owned());
        }
        lines
    }
}

/// A folder that only its owner can read. It is removed unless it is renamed.
pub(crate) fn draft_in(folder: &Path) -> Result<TempDir, LocalError> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(DRAFT_PREFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(folder).map_err(LocalError::file(folder))
}

/// The newest backup in a folder.
fn newest(folder: &Path) -> Result<Option<PathBuf>, LocalError> {
    Ok(backups(folder)?.pop())
}

/// The backups in a folder, oldest first: folders that have the name of a backup and contain a database.
/// Everything else in the folder is ignored.
fn backups(folder: &Path) -> Result<Vec<PathBuf>, LocalError> {
    let mut found = Vec::new();
    for entry in folder.read_dir().map_err(LocalError::file(folder))? {
        let entry = entry.map_err(LocalError::file(folder))?;
        let is_folder = entry.file_type().map_err(LocalError::file(folder))?.is_dir();
        let path = entry.path();
        if is_folder && is_name(&entry.file_name()) && state_dir::files(&path).database.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Whether this could be the name of a backup.
fn is_name(name: &OsStr) -> bool {
    let read =
        |name: &str| DateTime::strptime(NAME, name).is_ok_and(|time| time.strftime(NAME).to_string() == name);
    name.to_str().is_some_and(read)
}

/// Deletes the oldest backups, so that `keep` are left. Returns how many were deleted.
fn delete_older(folder: &Path, keep: NonZeroUsize) -> Result<usize, LocalError> {
    let all = backups(folder)?;
    let surplus = &all[..all.len().saturating_sub(keep.get())];
    for path in surplus {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        // Under this name, nobody mistakes a partly deleted one for a backup.
        let draft = folder.join(format!("{DRAFT_PREFIX}{name}"));
        let deleted = std::fs::rename(path, &draft).and_then(|()| std::fs::remove_dir_all(&draft));
        deleted.map_err(|source| LocalError::OldBackup { path: path.clone(), source })?;
    }
    Ok(surplus.len())
}

#[cfg(test)]
mod tests;
