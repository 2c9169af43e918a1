//! The folder with databases, objects and secrets.

use std::path::Path;

use crate::error::LocalError;

/// Creates the folder if it is missing. Only its owner may look into it: databases and objects hold private files. A folder
/// of an earlier version becomes private too; other folders that exist keep their permissions.
pub(crate) fn open(folder: &Path) -> Result<(), LocalError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(LocalError::file(folder))?;
    #[cfg(unix)]
    make_private(folder).map_err(LocalError::file(folder))?;
    Ok(())
}

/// Makes a folder private that this program has made: it has secrets, and not everybody may write into it.
#[cfg(unix)]
fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(folder)?.permissions().mode();
    let is_ours = mode & 0o002 == 0 && crate::secrets::Secrets::path(folder).exists();
    if mode & 0o077 != 0 && is_ours {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
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

    fn set_mode(folder: &Path, mode: u32) {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).unwrap();
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
    fn a_folder_with_secrets_becomes_private() {
        let folder = tempfile::tempdir().unwrap();
        for (before, has_secrets, after) in
            [(0o755, false, 0o755), (0o755, true, 0o700), (0o750, true, 0o700), (0o777, true, 0o777)]
        {
            set_mode(folder.path(), before);
            let _ = std::fs::remove_file(folder.path().join("secrets.json"));
            if has_secrets {
                std::fs::write(folder.path().join("secrets.json"), "{}").unwrap();
            }
            open(folder.path()).unwrap();
            assert_eq!(mode(folder.path()), after, "{before:o} {has_secrets}");
        }
    }
}
