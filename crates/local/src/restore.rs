//! `restore`: creates a state folder from a backup.
//!
//! A backup does not contain what was revoked or stopped after it was made. So a restored service starts
//! without logins and CI tokens, and with the updates of every application shut off.

use std::path::{Path, PathBuf};

use clap::Args;
use spindrift_core::one_line;
use spindrift_store::sync_folder;

use crate::backup::{DRAFT_PREFIX, draft_in};
use crate::error::LocalError;
use crate::output::say;
use crate::secrets::Secrets;
use crate::state_dir::{self, DEFAULT_STATE_DIR};

/// Statements that prepare a copy of the database before the service opens it.
const PREPARE: &str = include_str!("../../../deploy/restore.sql");
const END_TOKENS: &str = include_str!("../../../deploy/restore-tokens.sql");
const SHUT_OFF: &str = include_str!("../../../deploy/restore-shutoffs.sql");
/// The table of shut-offs, and the placeholder for the backup in their reason.
const SHUTOFFS: &str = "shutoffs";
const A_BACKUP: &str = "a backup";
/// Longest name of a backup in that reason, in characters.
const MAX_NAME_CHARS: usize = 100;
/// Suffixes of the files that belong to a database. Old files would be read as part of a new database.
const DATABASE_SUFFIXES: [&str; 3] = ["", "-wal", "-journal"];

/// The messages that are printed.
const NO_OBJECTS: &str = "The backup has no objects. Restore lost buckets where they were.";
const TOKENS_ENDED: &str =
    "All CI tokens have ended: create new ones. With --keep-tokens, `restore` keeps those of the backup.";
const TOKENS_KEPT: &str =
    "The CI tokens are those of the backup. Revoke again the ones that were revoked since.";
const SHUT_OFF_NOW: &str = "The updates of every application are shut off. Halt or withdraw again what was \
    halted or withdrawn since the backup, then lift the shut-offs.";
const SERVING: &str = "Updates are offered as when the backup was made. Stop again what was halted, \
    withdrawn or shut off since.";
const ALSO_RESTORED: &str = "Users, passwords, permissions, download tokens, report keys and group keys are \
    those of the backup. Change again what was changed since.";
const SIGNED_LISTS: &str =
    "Applications whose publisher signs the list of files: the publisher has to send the list again.";

/// The arguments of `restore`.
#[derive(Debug, Args)]
pub struct RestoreCommand {
    /// The backup: a folder that `backup` has made.
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// Folder for the database, objects and secrets of the service. It must not have any yet.
    #[arg(long, default_value = DEFAULT_STATE_DIR, value_name = "DIR")]
    state_dir: PathBuf,
    /// Keep the CI tokens of the backup, even those that were revoked after it was made.
    #[arg(long)]
    keep_tokens: bool,
    /// Offer updates at once, even releases that were halted, withdrawn or shut off after the
    /// backup was made.
    #[arg(long)]
    serve: bool,
}

impl RestoreCommand {
    pub(crate) fn run(&self) -> Result<(), LocalError> {
        let has_storage = self.restore()?;
        for line in self.lines(has_storage) {
            say!("{line}");
        }
        Ok(())
    }

    /// The lines to print.
    fn lines(&self, has_storage: bool) -> Vec<String> {
        let restored = format!("Restored {} from {}", self.state_dir.display(), self.from.display());
        let mut lines = vec![restored];
        if !has_storage {
            lines.push(NO_OBJECTS.to_owned());
        }
        lines.push("All logins have ended: everyone has to log in again.".to_owned());
        lines.push(if self.keep_tokens { TOKENS_KEPT } else { TOKENS_ENDED }.to_owned());
        lines.push(if self.serve { SERVING } else { SHUT_OFF_NOW }.to_owned());
        lines.push(ALSO_RESTORED.to_owned());
        let flag = match self.state_dir.as_path() {
            default if default == Path::new(DEFAULT_STATE_DIR) => String::new(),
            other => format!(" --state-dir {}", other.display()),
        };
        lines.push(format!("Start the service: spindrift up{flag}"));
        if !self.serve {
            lines.push("Lift the shut-offs, all at once: spindrift shutoff lift --restored".to_owned());
        }
        lines.push(SIGNED_LISTS.to_owned());
        lines
    }

    /// The statements to run in the copy of the database.
    fn prepare(&self, tables: &[String]) -> Result<String, LocalError> {
        let mut sql = PREPARE.to_owned();
        if !self.keep_tokens {
            sql.push_str(END_TOKENS);
        }
        if !self.serve && !tables.is_empty() {
            if !tables.iter().any(|table| table == SHUTOFFS) {
                return Err(LocalError::WithoutShutoffs { path: self.from.clone() });
            }
            let the_backup = format!("the backup {}", name(&self.from).replace('\'', "''"));
            sql.push_str(&SHUT_OFF.replace(A_BACKUP, &the_backup));
        }
        Ok(sql)
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
        let sql = self.prepare(&backup.tables()?)?;
        state_dir::open(&self.state_dir)?;
        let draft = draft_in(&self.state_dir)?;
        backup.restore(&state_dir::files(draft.path()), &sql)?;
        let has_secrets = Secrets::copy(&self.from, draft.path())?;
        // Others may be able to read the state folder.
        state_dir::make_private(draft.path())?;
        let (from, to) = (state_dir::files(draft.path()), state_dir::files(&self.state_dir));
        if backup.has_storage() {
            rename(&from.storage, &to.storage)?;
        }
        if has_secrets {
            rename(&Secrets::path(draft.path()), &Secrets::path(&self.state_dir))?;
        }
        // Last, because without the database the folder does not count as that of a service.
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

/// The name of the backup's folder, on one line.
fn name(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    one_line(&name).chars().take(MAX_NAME_CHARS).collect()
}

/// Whether this is an unfinished backup.
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
    fn backup() -> (tempfile::TempDir, RestoreCommand) {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path().join("2026-11-25T16-30-00Z");
        std::fs::create_dir(&from).unwrap();
        std::fs::write(from.join("sqlite_db.db"), "").unwrap();
        std::fs::write(Secrets::path(&from), "{}").unwrap();
        let state_dir = folder.path().join("state");
        let restore = RestoreCommand { from, state_dir, keep_tokens: false, serve: false };
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

    #[cfg(unix)]
    #[test]
    fn only_its_owner_may_read_what_is_restored() {
        use std::os::unix::fs::PermissionsExt as _;

        let (_folder, restore) = backup();
        std::fs::create_dir(&restore.state_dir).unwrap();
        let open = |mode| std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&restore.state_dir, open(0o755)).unwrap();
        std::fs::set_permissions(Secrets::path(&restore.from), open(0o644)).unwrap();
        let _ = restore.restore().unwrap();
        for name in names(&restore.state_dir) {
            let mode = restore.state_dir.join(&name).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }

    #[test]
    fn it_says_what_has_ended_and_how_to_go_on() {
        let (_folder, restore) = backup();
        let said = restore.lines(true).join("\n");
        for part in [
            "All logins have ended",
            "All CI tokens have ended",
            "The updates of every application are shut off",
            "spindrift shutoff lift --restored",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
        let serving = RestoreCommand { keep_tokens: true, serve: true, ..restore };
        let said = serving.lines(true).join("\n");
        assert!(
            said.contains("Revoke again") && said.contains("Stop again") && !said.contains("lift"),
            "{said}"
        );
    }

    #[test]
    fn the_statements_follow_the_options() {
        let (_folder, mut restore) = backup();
        let tables = ["users".to_owned(), SHUTOFFS.to_owned()];
        let prepared = restore.prepare(&tables).unwrap();
        assert!(
            prepared.contains("UPDATE tokens") && prepared.contains("backup 2026-11-25T16-30-00Z'"),
            "{prepared}"
        );
        assert!(SHUT_OFF.contains(&format!("'{}'", spindrift_core::RESTORED_BY)));
        let old = restore.prepare(&tables[..1]).unwrap_err().to_string();
        assert!(old.contains("could not shut off updates") && old.contains("--serve"), "{old}");
        (restore.keep_tokens, restore.serve) = (true, true);
        assert_eq!(restore.prepare(&tables[..1]).unwrap(), PREPARE);
    }

    #[test]
    fn names_of_backups_are_texts() {
        let (folder, mut restore) = backup();
        let odd = folder.path().join("ada's\nbackup");
        std::fs::rename(&restore.from, &odd).unwrap();
        restore.from = odd;
        let prepared = restore.prepare(&[SHUTOFFS.to_owned()]).unwrap();
        assert!(prepared.contains("the backup ada''s backup', 'spindrift restore'"), "{prepared}");
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
