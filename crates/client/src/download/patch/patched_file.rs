//! The file that a patch makes, until it is renamed to its target.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use same_file::Handle;

use super::super::partial_file::with_suffix;

/// Separates the name of the target from the unique part.
const SUFFIX: &str = ".patched-";
/// Hexadecimal digits that make a name unique.
const DIGITS: usize = 16;
/// How many names to try while files with these names exist.
const NAMES: u32 = 8;

/// `<target>.patched-<16 hexadecimal digits>`, open and locked. It is deleted unless it is published.
#[derive(Debug)]
pub(super) struct PatchedFile {
    file: File,
    path: PathBuf,
    is_published: bool,
}

impl PatchedFile {
    /// Creates the file, after deleting those that ended processes have left.
    pub(super) fn new(target: &Path) -> io::Result<Self> {
        delete_abandoned(target);
        let mut tried = 0;
        loop {
            let digits = getrandom::u64().map_err(io::Error::other)?;
            let path = with_suffix(target, &format!("{SUFFIX}{digits:0DIGITS$x}"));
            tried += 1;
            match OpenOptions::new().read(true).write(true).create_new(true).open(&path) {
                Ok(file) => {
                    // Where there are no locks, nothing is deleted as abandoned either.
                    let _ = file.try_lock();
                    return Ok(Self { file, path, is_published: false });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < NAMES => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) const fn file(&self) -> &File {
        &self.file
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames it to its target. An error if its name leads to another file by now.
    pub(super) fn publish(mut self, target: &Path) -> io::Result<()> {
        if Handle::from_path(&self.path)? != Handle::from_file(self.file.try_clone()?)? {
            return Err(io::Error::other("the made file was replaced"));
        }
        std::fs::rename(&self.path, target)?;
        self.is_published = true;
        Ok(())
    }
}

impl Drop for PatchedFile {
    fn drop(&mut self) {
        if !self.is_published {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Deletes files of processes that ended while they applied a patch. No process locks those any more. A file
/// that cannot be opened or deleted stays.
fn delete_abandoned(target: &Path) {
    let (Some(folder), Some(name)) = (target.parent(), target.file_name()) else { return };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let prefix = format!("{}{SUFFIX}", name.to_string_lossy());
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let digits = name.to_str().and_then(|name| name.strip_prefix(&prefix)).unwrap_or_default();
        if digits.len() != DIGITS || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            continue;
        }
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let is_abandoned = |file: File| file.try_lock().is_ok();
        if is_file && OpenOptions::new().write(true).open(entry.path()).is_ok_and(is_abandoned) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn files(folder: &Path) -> usize {
        folder.read_dir().unwrap().count()
    }

    #[test]
    fn each_has_a_name_of_its_own_until_it_has_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("app");
        let (one, other) = (PatchedFile::new(&target).unwrap(), PatchedFile::new(&target).unwrap());
        assert_ne!(one.path(), other.path());
        one.file().write_all(b"one").unwrap();
        drop(other);
        one.publish(&target).unwrap();
        assert_eq!((std::fs::read(&target).unwrap(), files(folder.path())), (b"one".to_vec(), 1));
    }

    #[test]
    fn a_file_that_took_the_name_is_not_published() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("app");
        let made = PatchedFile::new(&target).unwrap();
        std::fs::rename(made.path(), folder.path().join("away")).unwrap();
        std::fs::write(made.path(), "another").unwrap();
        assert!(made.publish(&target).is_err());
        assert!(!target.exists());
    }

    #[test]
    fn only_abandoned_files_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("app");
        let in_use = PatchedFile::new(&target).unwrap();
        for name in ["app.patched-0123456789abcdef", "app.patched-1", "app2.patched-0123456789abcdef"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let made = PatchedFile::new(&target).unwrap();
        assert_eq!(files(folder.path()), 4, "{in_use:?} {made:?}, and two that are none");
    }
}
