//! The files with the bytes of objects. A kept file survives a power failure: the writer syncs its bytes, and
//! [`Blobs::keep`] syncs its name, both before it is added to the index.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use s3s::S3Result;

use super::random::random_id;
use crate::blocking::blocking;
use crate::error::StoreError;
use crate::folder::sync_folder;

/// A folder of finished files, and a folder of files being written.
#[derive(Debug)]
pub(super) struct Blobs {
    finished: PathBuf,
    incoming: PathBuf,
}

/// A file being written. It is removed unless it is kept.
#[derive(Debug)]
pub(super) struct Incoming {
    id: String,
    path: PathBuf,
    kept: bool,
}

impl Blobs {
    /// The folders below `root`, left as they are: they may be another process's, or missing.
    pub(super) fn at(root: &Path) -> Self {
        Self { finished: root.join("blobs"), incoming: root.join("incoming") }
    }

    /// Opens the folders below `root`, and removes the unfinished files of an earlier process.
    pub(super) fn open(root: &Path) -> Result<Self, StoreError> {
        let blobs = Self::at(root);
        if blobs.incoming.exists() {
            std::fs::remove_dir_all(&blobs.incoming).map_err(StoreError::file(&blobs.incoming))?;
        }
        for folder in [&blobs.finished, &blobs.incoming] {
            std::fs::create_dir_all(folder).map_err(StoreError::file(folder))?;
        }
        sync_folder(root).map_err(StoreError::file(root))?;
        Ok(blobs)
    }

    /// Removes the finished files that are not in `used`. No other code may be writing.
    pub(super) fn remove_unused(&self, used: &HashSet<String>) -> io::Result<()> {
        for folder in std::fs::read_dir(&self.finished)? {
            for file in std::fs::read_dir(folder?.path())? {
                let file = file?;
                if !file.file_name().to_str().is_some_and(|id| used.contains(id)) {
                    std::fs::remove_file(file.path())?;
                }
            }
        }
        Ok(())
    }

    /// The folder of the finished files.
    pub(super) fn finished(&self) -> &Path {
        &self.finished
    }

    /// The path of the file with this id.
    pub(super) fn path(&self, id: &str) -> PathBuf {
        // Two levels of folders, so that no folder gets too many entries.
        self.finished.join(id.get(..2).unwrap_or("_")).join(id)
    }

    /// Creates a file for writing.
    pub(super) fn create(&self) -> S3Result<Incoming> {
        let id = random_id()?;
        let path = self.incoming.join(&id);
        Ok(Incoming { id, path, kept: false })
    }

    /// Moves a complete file, whose bytes are synced, to its final place. Returns its id.
    pub(super) fn keep(&self, mut incoming: Incoming) -> S3Result<String> {
        blocking(|| self.place(&incoming)).map_err(s3s::S3Error::internal_error)?;
        incoming.kept = true;
        Ok(std::mem::take(&mut incoming.id))
    }

    fn place(&self, incoming: &Incoming) -> io::Result<()> {
        let target = self.path(&incoming.id);
        let folder = target.parent().unwrap_or(&self.finished);
        match std::fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            // Also synced if the folder exists, because the writer that created it may not have synced it yet.
            _ => sync_folder(&self.finished)?,
        }
        std::fs::rename(&incoming.path, &target)?;
        sync_folder(folder)
    }

    /// A second file with the same bytes, synced. The bytes are not copied if the file system can avoid it.
    pub(super) fn duplicate(&self, id: &str) -> io::Result<Incoming> {
        let incoming = self.create().map_err(io::Error::other)?;
        let source = self.path(id);
        match std::fs::hard_link(&source, &incoming.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                std::fs::copy(&source, &incoming.path)?;
                std::fs::OpenOptions::new().write(true).open(&incoming.path)?.sync_data()?;
            }
            // A hard link needs no sync: the bytes were synced when they were received.
            linked => linked?,
        }
        Ok(incoming)
    }

    /// Removes the file of bytes that no object uses any more. Readers that have it open can continue.
    pub(super) fn remove(&self, id: &str) {
        // A file that cannot be removed only wastes space.
        let _ = std::fs::remove_file(self.path(id));
    }
}

impl Incoming {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        if !self.kept {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
