//! The file that stores logins.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use crate::error::CliError;
use crate::secret::Secret;

/// A login at one service.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Login {
    pub(crate) token: Secret,
    pub(crate) username: String,
    /// Owner of the applications: the user, or the admin of a team user.
    pub(crate) owner: String,
}

/// `credentials.json`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Credentials {
    /// The service to use if none is given: that of the last login.
    pub(crate) current: Option<String>,
    /// Logins by base URL.
    #[serde(default)]
    pub(crate) services: BTreeMap<String, Login>,
}

impl Credentials {
    /// Reads the file. A missing file is empty.
    pub(crate) fn read(path: &Path) -> Result<Self, CliError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(CliError::file(path)(error)),
        };
        serde_json::from_slice(&bytes).map_err(|_| {
            CliError::Other(format!("{} is damaged: delete it, and log in again", path.display()))
        })
    }

    pub(crate) fn save(&self, path: &Path) -> Result<(), CliError> {
        write_private(path, self)
    }
}

/// Replaces a JSON file atomically. The new file is readable only by its owner from the start.
pub(crate) fn write_private<T: Serialize>(path: &Path, value: &T) -> Result<(), CliError> {
    let write = || {
        create_private_folder(folder_of(path))?;
        put(new_file(path)?, path, &serde_json::to_vec_pretty(value)?)
    };
    write().map_err(CliError::file(path))
}

/// Atomically replaces a file that others may read.
pub(crate) fn write_public(path: &Path, content: &[u8]) -> Result<(), CliError> {
    let write = || {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".new-");
        #[cfg(unix)]
        let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        put(builder.tempfile_in(folder_of(path))?, path, content)
    };
    write().map_err(CliError::file(path))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn put(mut file: NamedTempFile, path: &Path, content: &[u8]) -> io::Result<()> {
    file.write_all(content)?;
    replace(file, path)
}

/// Creates a file beside `path`, readable only by its owner. It is deleted unless [`replace`] gives
/// it the name of `path`.
pub(crate) fn new_file(path: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".new-").tempfile_in(folder_of(path))
}

/// Rejects a path to a folder, a device or a pipe: a new file would replace it.
pub(crate) fn check_replaceable(path: &Path) -> Result<(), CliError> {
    match std::fs::metadata(path) {
        Ok(there) if !there.is_file() => {
            Err(CliError::usage(format!("{} is not a regular file: choose another name", path.display())))
        }
        _ => Ok(()),
    }
}

/// Renames a complete file to `path`, atomically.
pub(crate) fn replace(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Creates a folder that only its owner can read.
pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_survives_and_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/credentials.json");
        assert!(Credentials::read(&path).unwrap().services.is_empty());

        let login = Login { token: Secret::new("t0p"), username: "bob".into(), owner: "ada".into() };
        let mut credentials = Credentials { current: Some("http://x".into()), ..Credentials::default() };
        credentials.services.insert("http://x".into(), login);
        credentials.save(&path).unwrap();

        let read = Credentials::read(&path).unwrap();
        assert_eq!(read.services["http://x"].token.expose(), "t0p");
        assert!(!format!("{read:?}").contains("t0p"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            assert_eq!(
                std::fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777,
                0o700
            );
        }
    }

    #[test]
    fn a_damaged_file_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("credentials.json");
        std::fs::write(&path, "{").unwrap();
        assert!(Credentials::read(&path).unwrap_err().to_string().contains("log in again"));
    }
}
