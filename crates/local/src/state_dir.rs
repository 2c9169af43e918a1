//! The folder with databases, objects and secrets.

use std::path::{Path, PathBuf};

use spindrift_native::DATABASE_FILE;
use spindrift_store::StateFiles;

use crate::error::LocalError;

/// The default folder, relative to the folder in which the program was started.
pub(crate) const DEFAULT_STATE_DIR: &str = ".spindrift";

/// The folder of the object storage.
const STORAGE_DIR: &str = "storage";

/// The database and the storage in a state folder or a backup.
pub(crate) fn files(folder: &Path) -> StateFiles {
    StateFiles { database: folder.join(DATABASE_FILE), storage: storage(folder) }
}

/// The folder of the object storage in a state folder.
pub(crate) fn storage(folder: &Path) -> PathBuf {
    folder.join(STORAGE_DIR)
}

/// Creates the folder if it is missing. Only its owner may read it, because databases and objects contain
/// private files. An existing folder keeps its permissions.
pub(crate) fn open(folder: &Path) -> Result<(), LocalError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(LocalError::file(folder))
}

/// Makes a folder and everything in it readable only by its owner.
pub(crate) fn make_private(path: &Path) -> Result<(), LocalError> {
    let is_folder = path.is_dir();
    #[cfg(unix)]
    {
        let mode = if is_folder { 0o700 } else { 0o600 };
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(path, permissions).map_err(LocalError::file(path))?;
    }
    if is_folder {
        for entry in path.read_dir().map_err(LocalError::file(path))? {
            make_private(&entry.map_err(LocalError::file(path))?.path())?;
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(folder: &Path) -> u32 {
        std::fs::metadata(folder).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_folder_is_private() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("state");
        open(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        open(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
    }

    #[test]
    fn a_folder_that_exists_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        open(folder.path()).unwrap();
        assert_eq!(mode(folder.path()), 0o755);
    }
}
