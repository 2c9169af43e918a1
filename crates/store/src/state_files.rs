//! Backups of the state of an application, as it is at one moment, while the application runs.
//!
//! An application adds an object before its database names it, and removes it after the database has ceased to. So a
//! database and the index of a storage fit each other if no write to the database lies between them. [`Moment`] is such a
//! pair. Its files are copied before and after it: before, because copying takes long, and after, because some are new.

use std::path::{Path, PathBuf};

use crate::error::StoreError;
use crate::folder::sync_folder;
use crate::snapshot::{Snapshot, WriteLock, run};
use crate::storage::backup::{Copying, Listed, index_of};

/// How often a backup is begun again because a file was deleted before it was copied. Each time only files that are new have
/// to be copied, so that one repetition is enough unless files are deleted within milliseconds.
const ATTEMPTS: usize = 5;

/// The files of an application's state, or of a copy of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFiles {
    /// The database.
    pub database: PathBuf,
    /// The folder of a [`Storage`](crate::Storage). It is missing if the objects are elsewhere.
    pub storage: PathBuf,
}

/// The objects in a backup. All are 0 if the objects are elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BackedUp {
    /// Files of objects, and of parts of unfinished uploads.
    pub files: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// Files that are not shared with an earlier backup.
    pub new_files: usize,
}

/// A database and the index of a storage that fit each other.
struct Moment {
    database: Snapshot,
    index: Snapshot,
}

impl Moment {
    /// Keeps writers of the database waiting for as long as it takes to read a page of each.
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
    /// Whether the objects are here.
    pub fn has_storage(&self) -> bool {
        index_of(&self.storage).is_file()
    }

    /// Copies the state to `to`, whose files must not exist, as it is at one moment. The application may run, and hardly
    /// waits. Files of objects that are in `earlier` are linked from there if the file system can do so. Everything is
    /// synced except the names in the folder of `to`.
    ///
    /// # Errors
    /// Files that cannot be read or written. Objects whose files are missing or damaged, or that are deleted faster than
    /// they can be copied.
    pub fn back_up(&self, to: &Self, earlier: Option<&Self>) -> Result<BackedUp, StoreError> {
        if self.has_storage() {
            return self.back_up_objects(to, earlier, Moment::of);
        }
        Snapshot::take(&self.database)?.write_to(&to.database)?;
        Ok(BackedUp::default())
    }

    fn back_up_objects(
        &self,
        to: &Self,
        earlier: Option<&Self>,
        mut moment: impl FnMut(&Self) -> Result<Moment, StoreError>,
    ) -> Result<BackedUp, StoreError> {
        let earlier = earlier.map(|earlier| earlier.storage.as_path());
        let mut copying = Copying::new(&self.storage, &to.storage, earlier)?;
        let mut gone = self.storage.clone();
        for _ in 0..ATTEMPTS {
            copying.copy(&listed(&self.storage)?)?;
            let moment = moment(self)?;
            let listed = moment.index.read(Listed::read)?;
            if let Some(missing) = copying.copy(&listed)? {
                gone = missing;
                continue;
            }
            moment.write_to(to)?;
            copying.finish(&listed)?;
            let new_files = copying.new_files(&listed);
            return Ok(BackedUp { files: listed.files(), bytes: listed.bytes(), new_files });
        }
        Err(StoreError::Gone { path: gone, attempts: ATTEMPTS })
    }

    /// A file that this copy lacks, or that is not whole.
    ///
    /// # Errors
    /// Databases that cannot be read.
    pub fn lacking(&self) -> Result<Option<PathBuf>, StoreError> {
        if !self.database.is_file() {
            return Ok(Some(self.database.clone()));
        }
        // A storage without its index.
        if self.storage.exists() && !self.has_storage() {
            return Ok(Some(index_of(&self.storage)));
        }
        if self.has_storage() { Ok(listed(&self.storage)?.lacking(&self.storage)) } else { Ok(None) }
    }

    /// The names of the tables in the database.
    ///
    /// # Errors
    /// A database that cannot be read.
    pub fn tables(&self) -> Result<Vec<String>, StoreError> {
        Snapshot::take(&self.database)?.read(|connection| {
            let mut names = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
            names.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// Copies this copy to `to`, whose files must not exist, and runs `sql` in the new database, unless that has no tables.
    /// Everything is synced except the names in the folder of `to`.
    ///
    /// # Errors
    /// Files that are missing, or cannot be read or written.
    pub fn restore(&self, to: &Self, sql: &str) -> Result<(), StoreError> {
        if let Some(path) = self.lacking()? {
            return Err(StoreError::Incomplete { path });
        }
        if self.has_storage() {
            let listed = listed(&self.storage)?;
            let mut copying = Copying::new(&self.storage, &to.storage, None)?;
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
fn listed(storage: &Path) -> Result<Listed, StoreError> {
    Snapshot::take(&index_of(storage))?.read(Listed::read)
}

#[cfg(test)]
mod tests;
