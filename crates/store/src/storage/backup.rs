//! Copies the files of a storage into a folder with the same layout.
//!
//! The files have unique names and never change once the index lists them. So a copy needs no lock, and two
//! backups may share a file.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::blobs::Blobs;
use super::index::{INDEX_FILE, sizes};
use crate::error::StoreError;
use crate::folder::sync_folder;

/// The files that an index lists: sizes in bytes, by id.
#[derive(Debug)]
pub(crate) struct ListedFiles(HashMap<String, u64>);

/// Files that are being copied.
#[derive(Debug)]
pub(crate) struct FileCopier {
    from: Blobs,
    to: Blobs,
    /// A backup with the same layout, whose files are linked instead of copied.
    earlier: Option<Blobs>,
    linked: HashSet<String>,
    copied: HashSet<String>,
}

/// The path of the index in the folder of a storage.
pub(crate) fn index_of(storage: &Path) -> PathBuf {
    storage.join(INDEX_FILE)
}

impl ListedFiles {
    /// Reads the files from an index.
    pub(crate) fn read(index: &Connection) -> rusqlite::Result<Self> {
        sizes(index).map(Self)
    }

    /// How many files there are.
    pub(crate) fn files(&self) -> usize {
        self.0.len()
    }

    /// Their size in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.values().sum()
    }

    /// A file that is missing or incomplete in the folder of a storage.
    pub(crate) fn find_missing_file(&self, storage: &Path) -> Option<PathBuf> {
        let blobs = Blobs::at(storage);
        let lacking = self.0.iter().find(|(id, size)| length(&blobs.path(id)) != Some(**size));
        lacking.map(|(id, _)| blobs.path(id))
    }
}

impl FileCopier {
    /// Copies between folders of storages. Creates the target folder.
    pub(crate) fn new(from: &Path, to: &Path, earlier: Option<&Path>) -> Result<Self, StoreError> {
        let (from, to, earlier) = (Blobs::at(from), Blobs::at(to), earlier.map(Blobs::at));
        std::fs::create_dir_all(to.finished_folder()).map_err(StoreError::file(to.finished_folder()))?;
        Ok(Self { from, to, earlier, linked: HashSet::new(), copied: HashSet::new() })
    }

    /// Copies the listed files that have not been copied yet. Returns a missing one, if any; the others are
    /// copied nonetheless.
    ///
    /// # Errors
    /// A file cannot be copied, or does not have the listed size.
    pub(crate) fn copy(&mut self, listed: &ListedFiles) -> Result<Option<PathBuf>, StoreError> {
        let mut missing = None;
        for (id, size) in &listed.0 {
            let is_done = self.linked.contains(id) || self.copied.contains(id);
            if !is_done && !self.copy_one(id, *size)? {
                missing = Some(self.from.path(id));
            }
        }
        Ok(missing)
    }

    /// Returns whether the file existed.
    fn copy_one(&mut self, id: &str, size: u64) -> Result<bool, StoreError> {
        let (source, target) = (self.from.path(id), self.to.path(id));
        let folder = target.parent().unwrap_or(self.to.finished_folder());
        std::fs::create_dir_all(folder).map_err(StoreError::file(folder))?;
        let earlier = self.earlier.as_ref().map(|earlier| earlier.path(id));
        let earlier = earlier.filter(|file| length(file) == Some(size));
        // Not every file system has hard links, and the number of links to a file is limited.
        if earlier.is_some_and(|file| std::fs::hard_link(file, &target).is_ok()) {
            self.linked.insert(id.to_owned());
            return Ok(true);
        }
        match std::fs::copy(&source, &target) {
            Ok(copied) if copied == size => {
                self.copied.insert(id.to_owned());
                Ok(true)
            }
            Ok(copied) => Err(StoreError::Damaged { path: source, bytes: copied, expected: size }),
            // The file was deleted since the index was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::file(&source)(error)),
        }
    }

    /// How many of the listed files were copied rather than linked.
    pub(crate) fn new_files(&self, listed: &ListedFiles) -> usize {
        listed.0.keys().filter(|id| self.copied.contains(*id)).count()
    }

    /// Removes what is not listed, and syncs the rest.
    pub(crate) fn finish(&self, listed: &ListedFiles) -> Result<(), StoreError> {
        for id in self.copied.iter().chain(&self.linked) {
            let path = self.to.path(id);
            if !listed.0.contains_key(id) {
                std::fs::remove_file(&path).map_err(StoreError::file(&path))?;
            } else if self.copied.contains(id) {
                sync_file(&path).map_err(StoreError::file(&path))?;
            }
        }
        self.sync_folders().map_err(StoreError::file(self.to.finished_folder()))
    }

    fn sync_folders(&self) -> io::Result<()> {
        for folder in std::fs::read_dir(self.to.finished_folder())? {
            sync_folder(&folder?.path())?;
        }
        sync_folder(self.to.finished_folder())?;
        self.to.finished_folder().parent().map_or(Ok(()), sync_folder)
    }
}

/// The length of a file in bytes. `None` if there is no such file.
fn length(file: &Path) -> Option<u64> {
    std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
}

fn sync_file(file: &Path) -> io::Result<()> {
    // Windows syncs only files that are open for writing.
    std::fs::OpenOptions::new().write(true).open(file)?.sync_all()
}

#[cfg(test)]
pub(crate) mod sample;
