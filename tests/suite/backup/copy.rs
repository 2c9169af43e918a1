//! A backup of everything: by the steps of the operations page, or by the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use spindrift_core::BUCKET_MARKER;
use spindrift_tests::{
    DATABASE_FILE, HostProcess, Killed, ObjectCopy, Objects, PRIVATE_BUCKET, PUBLIC_BUCKET,
};

use super::program;

/// The page that these steps are from.
const PAGE: &str = include_str!("../../../docs/operations.md");
/// The page's command that copies the database.
const COPY_DATABASE: &str = "VACUUM INTO '$backup/database.db'";
/// The statements that the page runs in the copy.
const RESTORE: &str = include_str!("../../../deploy/restore.sql");
/// Metadata is written again from the database.
const NOT_COPIED: &str = "tuf_metadata/";
/// The generated secrets.
const SECRETS: &str = "secrets.json";
/// Longest answer of the storage to a listing.
const PAGE_KEYS: usize = 1000;

/// The maker of the backup, who also restores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The steps of the page.
    ByHand,
    /// The commands `backup` and `restore`.
    Program,
}

/// A backup besides the database and the secrets, which are in its folder.
enum Content {
    /// Copies of objects.
    Objects(BTreeMap<(&'static str, String), ObjectCopy>),
    /// The folder that the program made, with everything.
    Made(PathBuf),
}

/// Copies of the database, the secrets and the two buckets.
pub(super) struct Backup {
    /// When the copy of the database began.
    pub(super) began: Instant,
    /// When it ended.
    pub(super) ended: Instant,
    folder: tempfile::TempDir,
    state: PathBuf,
    content: Content,
}

impl Backup {
    /// Makes a backup. `meanwhile` runs between its parts, or after it if the program makes it.
    pub(super) fn take(way: Way, host: &HostProcess, state: &Path, meanwhile: impl FnOnce()) -> Self {
        match way {
            Way::ByHand => Self::by_hand(host, state, meanwhile),
            Way::Program => Self::by_program(state, meanwhile),
        }
    }

    fn by_program(state: &Path, meanwhile: impl FnOnce()) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let began = Instant::now();
        let made = program::back_up(state, folder.path());
        let ended = Instant::now();
        meanwhile();
        Self { began, ended, folder, state: state.to_owned(), content: Content::Made(made) }
    }

    fn by_hand(host: &HostProcess, state: &Path, meanwhile: impl FnOnce()) -> Self {
        assert!(PAGE.contains(COPY_DATABASE) && PAGE.contains("deploy/restore.sql"));
        let folder = tempfile::tempdir().unwrap();
        let mut objects = BTreeMap::new();
        copy_buckets(&host.objects, &mut objects);

        let began = Instant::now();
        let database = Connection::open(host.database_path()).unwrap();
        database.busy_timeout(Duration::from_secs(30)).unwrap();
        let sql = COPY_DATABASE.replace("$backup", folder.path().to_str().unwrap());
        database.execute_batch(&sql).unwrap();
        let ended = Instant::now();
        std::fs::copy(state.join(SECRETS), folder.path().join(SECRETS)).unwrap();

        meanwhile();
        copy_buckets(&host.objects, &mut objects);
        Self { began, ended, folder, state: state.to_owned(), content: Content::Objects(objects) }
    }

    /// Removes everything that the killed host had, and starts one on the backup.
    pub(super) fn restore(&self, killed: Killed, program: &str) -> HostProcess {
        self.lose_all();
        match &self.content {
            Content::Objects(objects) => {
                self.restore_database();
                let host = killed.start_again(program);
                for ((bucket, key), object) in objects {
                    host.objects.copy_in(bucket, key, object);
                }
                host
            }
            Content::Made(folder) => {
                let _said = program::restore(folder, &self.state, &["--serve"]);
                killed.start_again(program)
            }
        }
    }

    fn lose_all(&self) {
        for entry in std::fs::read_dir(&self.state).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                std::fs::remove_dir_all(&path).unwrap();
            } else {
                std::fs::remove_file(&path).unwrap();
            }
        }
    }

    fn restore_database(&self) {
        let database = self.state.join(DATABASE_FILE);
        std::fs::copy(self.folder.path().join("database.db"), &database).unwrap();
        std::fs::copy(self.folder.path().join(SECRETS), self.state.join(SECRETS)).unwrap();
        let database = Connection::open(database).unwrap();
        database.execute_batch(RESTORE).unwrap();
    }
}

/// Copies new objects, and deletes nothing.
fn copy_buckets(from: &Objects, to: &mut BTreeMap<(&'static str, String), ObjectCopy>) {
    for bucket in [PUBLIC_BUCKET, PRIVATE_BUCKET] {
        let keys = from.keys(bucket, "");
        assert!(keys.len() < PAGE_KEYS, "more than one page");
        let keys = keys.into_iter().filter(|key| !key.starts_with(NOT_COPIED));
        for key in keys.chain([BUCKET_MARKER.to_owned()]) {
            // Staged files go while they are copied.
            if let Some(object) = from.copy_out(bucket, &key) {
                let _known = to.insert((bucket, key), object);
            }
        }
    }
}
