//! The files with the bytes of objects. A kept file survives a power failure: the writer syncs its bytes, and
//! [`Blobs::keep`] syncs its name, both before it is added to the index.

use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use s3s::S3Result;

use super::random::random_id;
use crate::error::StoreError;
use crate::folder::sync_folder;
use spindrift_http::blocking;

/// Age from which the clean-up considers a file left behind by a killed process. Another process may still be
/// writing a younger file, or may be about to add it to the index.
const ABANDONED_AFTER: Duration = Duration::from_hours(24);

/// A folder of finished files, and a folder of files being written.
#[derive(Debug)]
pub(super) struct Blobs {
    finished: PathBuf,
    incoming: PathBuf,
}

/// A file being written. It is removed unless it is kept.
#[derive(Debug)]
pub(super) struct PartialFile {
    id: String,
    path: PathBuf,
    is_kept: bool,
}

impl Blobs {
    /// The folders below `root`, without changing anything: they may belong to another process, or be
    /// missing.
    pub(super) fn at(root: &Path) -> Self {
        Self { finished: root.join("blobs"), incoming: root.join("incoming") }
    }

    /// Opens the folders below `root`, and removes what an earlier process left unfinished.
    pub(super) fn open(root: &Path) -> Result<Self, StoreError> {
        let blobs = Self::at(root);
        for folder in [&blobs.finished, &blobs.incoming] {
            std::fs::create_dir_all(folder).map_err(StoreError::file(folder))?;
        }
        remove_abandoned(&blobs.incoming, |_| true).map_err(StoreError::file(&blobs.incoming))?;
        sync_folder(root).map_err(StoreError::file(root))?;
        Ok(blobs)
    }

    /// Removes finished files that an earlier process left behind, which are those not in `used`.
    pub(super) fn remove_unused(&self, used: &HashSet<String>) -> io::Result<()> {
        for folder in std::fs::read_dir(&self.finished)? {
            remove_abandoned(&folder?.path(), |id| !used.contains(id))?;
        }
        Ok(())
    }

    /// The folder of the finished files.
    pub(super) fn finished_folder(&self) -> &Path {
        &self.finished
    }

    /// The path of the file with this id.
    pub(super) fn path(&self, id: &str) -> PathBuf {
        // Two levels of folders, so that no folder gets too many entries.
        self.finished.join(id.get(..2).unwrap_or("_")).join(id)
    }

    /// Creates a file for writing.
    pub(super) fn create(&self) -> S3Result<PartialFile> {
        let id = random_id()?;
        let path = self.incoming.join(&id);
        Ok(PartialFile { id, path, is_kept: false })
    }

    /// Moves a complete file, whose bytes are synced, to its final place. Returns its id.
    pub(super) fn keep(&self, mut incoming: PartialFile) -> S3Result<String> {
        blocking(|| self.place(&incoming)).map_err(s3s::S3Error::internal_error)?;
        incoming.is_kept = true;
        Ok(std::mem::take(&mut incoming.id))
    }

    fn place(&self, incoming: &PartialFile) -> io::Result<()> {
        let target = self.path(&incoming.id);
        let folder = target.parent().unwrap_or(&self.finished);
        match std::fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            // Synced even if the folder exists, because the writer that created it may not have synced it
            // yet.
            _ => sync_folder(&self.finished)?,
        }
        std::fs::rename(&incoming.path, &target)?;
        sync_folder(folder)
    }

    /// A second file with the same bytes, synced. Avoids copying the bytes if the file system supports that.
    pub(super) fn duplicate(&self, id: &str) -> io::Result<PartialFile> {
        let incoming = self.create().map_err(io::Error::other)?;
        let source = self.path(id);
        // A link, and on some systems a copy, keeps the age of its source: the clean-up of another process
        // would remove it before it is in the index.
        let make_young = |path: &Path| {
            let file = OpenOptions::new().write(true).open(path)?;
            file.set_modified(SystemTime::now()).map(|()| file)
        };
        match make_young(&source).and_then(|_| std::fs::hard_link(&source, &incoming.path)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                std::fs::copy(&source, &incoming.path)?;
                make_young(&incoming.path)?.sync_data()?;
            }
            // A hard link needs no sync: the bytes were synced when they were received.
            linked => linked?,
        }
        Ok(incoming)
    }

    /// Removes a file whose bytes no object uses any more. Readers that have it open can continue.
    pub(super) fn remove(&self, id: &str) {
        // A file that cannot be removed only wastes space.
        let _ = std::fs::remove_file(self.path(id));
    }
}

/// Removes the old files in a folder whose names are `unused`.
fn remove_abandoned(folder: &Path, unused: impl Fn(&str) -> bool) -> io::Result<()> {
    for file in std::fs::read_dir(folder)? {
        let file = file?;
        let is_used = file.file_name().to_str().is_some_and(|name| !unused(name));
        // Another process may have removed the file in the meantime.
        let removed = match file.metadata().and_then(|file| file.modified()) {
            Ok(modified) if is_used || !is_abandoned(modified) => Ok(()),
            Ok(_) => std::fs::remove_file(file.path()),
            Err(error) => Err(error),
        };
        removed.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })?;
    }
    Ok(())
}

/// Whether a file with this modification time is old. A time in the future is not.
fn is_abandoned(modified: SystemTime) -> bool {
    modified.elapsed().is_ok_and(|age| age >= ABANDONED_AFTER)
}

impl PartialFile {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
