//! `restore`: makes a state folder from a backup.

use std::path::{Path, PathBuf};

use clap::Args;
use embedded_host::sync_folder;

use crate::backup::{DRAFT_PREFIX, draft_in};
use crate::error::LocalError;
use crate::secrets::Secrets;
use crate::state_dir::{self, DEFAULT_STATE_DIR};

/// Statements that prepare a copy of the database before the service opens it.
const PREPARE: &str = include_str!("../../../deploy/restore.sql");
/// The ends of the names of files that belong to a database. A new database would be read together with old ones.
const DATABASE_SUFFIXES: [&str; 3] = ["", "-wal", "-journal"];

/// The arguments of `restore`.
#[derive(Debug, Args)]
pub struct Restore {
    /// The backup: a folder that `backup` has made.
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// Folder for the database, objects and secrets of the service. It must not have any yet.
    #[arg(long, default_value = DEFAULT_STATE_DIR, value_name = "DIR")]
    state_dir: PathBuf,
}

impl Restore {
    pub(crate) fn run(&self) -> Result<(), LocalError> {
        let has_storage = self.restore()?;
        println!("Restored {} from {}", self.state_dir.display(), self.from.display());
        if !has_storage {
            println!(
                "The backup has no objects. Buckets that were lost have to be restored where they were."
            );
        }
        let flag = if self.state_dir == Path::new(DEFAULT_STATE_DIR) {
            String::new()
        } else {
            format!(" --state-dir {}", self.state_dir.display())
        };
        println!("Start the service: spindrift up{flag}");
        println!(
            "Applications whose publisher signs the list of files: the publisher has to send the list again."
        );
        Ok(())
    }

    /// Returns whether the backup has objects.
    fn restore(&self) -> Result<bool, LocalError> {
        let backup = state_dir::files(&self.from);
        if is_draft(&self.from) || !backup.database.is_file() {
            return Err(LocalError::NotABackup { path: self.from.clone() });
        }
        if let Some(path) = occupied(&self.state_dir) {
            return Err(LocalError::Occupied { path });
        }
        state_dir::open(&self.state_dir)?;
        let draft = draft_in(&self.state_dir)?;
        backup.restore(&state_dir::files(draft.path()), PREPARE)?;
        let has_secrets = Secrets::copy(&self.from, draft.path())?;
        let (from, to) = (state_dir::files(draft.path()), state_dir::files(&self.state_dir));
        if backup.has_storage() {
            rename(&from.storage, &to.storage)?;
        }
        if has_secrets {
            rename(&Secrets::path(draft.path()), &Secrets::path(&self.state_dir))?;
        }
        // Last: without it, the folder is not a service's.
        rename(&from.database, &to.database)?;
        sync_folder(&self.state_dir).map_err(LocalError::file(&self.state_dir))?;
        Ok(backup.has_storage())
    }
}

/// A file that a restore would replace.
fn occupied(state_dir: &Path) -> Option<PathBuf> {
    let files = state_dir::files(state_dir);
    let database = DATABASE_SUFFIXES.map(|suffix| {
        let mut path = files.database.clone().into_os_string();
        path.push(suffix);
        PathBuf::from(path)
    });
    database.into_iter().chain([files.storage, Secrets::path(state_dir)]).find(|path| path.exists())
}

/// Whether this is a backup that was not finished.
fn is_draft(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(DRAFT_PREFIX))
}

fn rename(from: &Path, to: &Path) -> Result<(), LocalError> {
    std::fs::rename(from, to).map_err(LocalError::file(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A backup of an empty database, and a folder to restore it into.
    fn backup() -> (tempfile::TempDir, Restore) {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("2026-11-25T16-30-00Z");
        std::fs::create_dir(&from).unwrap();
        std::fs::write(from.join("sqlite_db.db"), "").unwrap();
        std::fs::write(Secrets::path(&from), "{}").unwrap();
        let restore = Restore { from, state_dir: folder.path().join("state") };
        (folder, restore)
    }

    fn names(folder: &Path) -> Vec<String> {
        let names = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_backup_is_restored_beside_other_files() {
        let (_folder, restore) = backup();
        std::fs::create_dir_all(restore.state_dir.join("cache")).unwrap();
        assert!(!restore.restore().unwrap());
        assert_eq!(names(&restore.state_dir), ["cache", "secrets.json", "sqlite_db.db"]);
    }

    #[test]
    fn the_state_of_a_service_is_not_replaced() {
        for name in ["sqlite_db.db", "sqlite_db.db-wal", "storage", "secrets.json"] {
            let (_folder, restore) = backup();
            std::fs::create_dir(&restore.state_dir).unwrap();
            std::fs::write(restore.state_dir.join(name), "").unwrap();
            let error = restore.restore().unwrap_err().to_string();
            assert!(error.contains(restore.state_dir.join(name).to_str().unwrap()), "{error}");
            assert_eq!(names(&restore.state_dir), [name]);
        }
    }

    #[test]
    fn what_is_no_complete_backup_is_refused() {
        let (folder, mut restore) = backup();
        let draft = folder.path().join(".new-1");
        std::fs::rename(&restore.from, &draft).unwrap();
        for from in [draft, folder.path().to_owned(), folder.path().join("missing")] {
            restore.from = from;
            let error = restore.restore().unwrap_err().to_string();
            assert!(error.contains("is not a complete backup"), "{error}");
        }
        let (_folder, restore) = backup();
        std::fs::create_dir(restore.from.join("storage")).unwrap();
        let error = restore.restore().unwrap_err().to_string();
        assert!(error.contains("incomplete") && error.contains("index.db"), "{error}");
        assert!(names(&restore.state_dir).is_empty());
    }
}
