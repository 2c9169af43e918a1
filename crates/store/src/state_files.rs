//! Backups of an application's state as of one moment, taken while the application runs.
//!
//! An application adds an object before its database refers to it, and removes the object after the database
//! no longer does. So a database and the index of a storage match if nothing is written to the database
//! between reading the two. [`Moment`] is such a pair. Its files are copied both before and after it is
//! taken: before, because copying takes long, and after, because some files are new.

use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::folder::sync_folder;
use crate::snapshot::{Snapshot, WriteLock, run};
use crate::storage::backup::{FileCopier, ListedFiles, index_of};

/// Number of attempts at a backup. It is repeated if a file was deleted before it was copied. Only new files
/// have to be copied then, so one repetition is enough unless files are deleted within milliseconds.
const ATTEMPTS: usize = 5;

/// The files of an application's state, or of a copy of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFiles {
    pub database: PathBuf,
    /// The folder of a [`Storage`](crate::Storage). Missing if the objects are stored elsewhere.
    pub storage: PathBuf,
}

/// The objects in a backup. All numbers are 0 if the objects are stored elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BackupSummary {
    /// Files of objects, and of parts of unfinished uploads.
    pub files: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// Files that no earlier backup shares.
    pub new_files: usize,
}

/// A database and the index of a storage that match.
struct Moment {
    database: Snapshot,
    index: Snapshot,
}

impl Moment {
    /// Takes both while writers of the database wait, for as long as it takes to read a page of each.
    fn of(state: &StateFiles) -> Result<Self, StoreError> {
        let lock = WriteLock::take(&state.database)?;
        let database = Snapshot::take(&state.database)?;
        let index = Snapshot::take(&index_of(&state.storage))?;
        lock.release();
        Ok(Self { database, index })
    }

    fn write_to(&self, state: &StateFiles) -> Result<(), StoreError> {
        self.index.write_to(&index_of(&state.storage))?;
        self.database.write_to(&state.database)
    }
}

impl StateFiles {
    /// Whether the objects are stored here.
    pub fn has_storage(&self) -> bool {
        index_of(&self.storage).is_file()
    }

    /// Copies the state as of one moment to `to`, whose files must not exist. The application can keep
    /// running, and hardly has to wait. Files of objects that are in `earlier` are linked from there if the
    /// file system supports that. Everything is synced except the names in the folder of `to`.
    ///
    /// # Errors
    /// Files cannot be read or written; files of objects are missing or damaged; or objects are deleted
    /// faster than they can be copied.
    pub fn back_up(&self, to: &Self, earlier: Option<&Self>) -> Result<BackupSummary, StoreError> {
        if self.has_storage() {
            return self.back_up_objects(to, earlier, Moment::of);
        }
        Snapshot::take(&self.database)?.write_to(&to.database)?;
        Ok(BackupSummary::default())
    }

    fn back_up_objects(
        &self,
        to: &Self,
        earlier: Option<&Self>,
        mut moment: impl FnMut(&Self) -> Result<Moment, StoreError>,
    ) -> Result<BackupSummary, StoreError> {
        let earlier = earlier.map(|earlier| earlier.storage.as_path());
        let mut copying = FileCopier::new(&self.storage, &to.storage, earlier)?;
        let mut gone = self.storage.clone();
        for _ in 0..ATTEMPTS {
            copying.copy(&read_listed_files(&self.storage)?)?;
            let moment = moment(self)?;
            let listed = moment.index.read(ListedFiles::read)?;
            if let Some(missing) = copying.copy(&listed)? {
                gone = missing;
                continue;
            }
            moment.write_to(to)?;
            copying.finish(&listed)?;
            let new_files = copying.new_files(&listed);
            return Ok(BackupSummary { files: listed.files(), bytes: listed.bytes(), new_files });
        }
        Err(StoreError::Gone { path: gone, attempts: ATTEMPTS })
    }

    /// Finds a file that this copy lacks, or that is incomplete.
    ///
    /// # Errors
    /// A database cannot be read.
    pub fn find_missing_file(&self) -> Result<Option<PathBuf>, StoreError> {
        if !self.database.is_file() {
            return Ok(Some(self.database.clone()));
        }
        // A storage without its index.
        if self.storage.exists() && !self.has_storage() {
            return Ok(Some(index_of(&self.storage)));
        }
        if self.has_storage() {
            Ok(read_listed_files(&self.storage)?.find_missing_file(&self.storage))
        } else {
            Ok(None)
        }
    }

    /// The names of the tables in the database.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn tables(&self) -> Result<Vec<String>, StoreError> {
        Snapshot::take(&self.database)?.read(|connection| {
            let mut names = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
            names.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// Copies this copy to `to`, whose files must not exist, and runs `sql` in the new database unless it has
    /// no tables. Everything is synced except the names in the folder of `to`.
    ///
    /// # Errors
    /// Files are missing, or cannot be read or written.
    pub fn restore(&self, to: &Self, sql: &str) -> Result<(), StoreError> {
        if let Some(path) = self.find_missing_file()? {
            return Err(StoreError::Incomplete { path });
        }
        if self.has_storage() {
            let listed = read_listed_files(&self.storage)?;
            let mut copying = FileCopier::new(&self.storage, &to.storage, None)?;
            if let Some(path) = copying.copy(&listed)? {
                return Err(StoreError::Incomplete { path });
            }
            copying.finish(&listed)?;
            Snapshot::take(&index_of(&self.storage))?.write_to(&index_of(&to.storage))?;
            sync_folder(&to.storage).map_err(StoreError::file(&to.storage))?;
        }
        Snapshot::take(&self.database)?.write_to(&to.database)?;
        run(&to.database, sql)
    }
}

/// The files that the index of a storage lists now.
fn read_listed_files(storage: &Path) -> Result<ListedFiles, StoreError> {
    Snapshot::take(&index_of(storage))?.read(ListedFiles::read)
}

#[cfg(test)]
mod tests;
