//! The file with the passwords of new team users.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use base16ct::lower::encode_string as hex;
use serde::{Deserialize, Serialize};

use crate::config::write_private;
use crate::error::CliError;
use crate::secret::Secret;

/// Number of random bytes in a password.
const PASSWORD_BYTES: usize = 16;

/// Passwords by user name. A password is written before its user is created, so that none is lost.
#[derive(Debug)]
pub(super) struct UsersFile {
    path: PathBuf,
    content: SavedPasswords,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct SavedPasswords {
    users: BTreeMap<String, Secret>,
}

impl UsersFile {
    /// Reads the file of an earlier run, or creates it.
    pub(super) fn open(path: &Path) -> Result<Self, CliError> {
        let content = match std::fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|_| {
                CliError::usage(format!("{} is not a list of users: choose another file", path.display()))
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => SavedPasswords::default(),
            Err(error) => return Err(CliError::file(path)(error)),
        };
        Ok(Self { path: path.to_owned(), content })
    }

    /// The password of a user, from an earlier run or new.
    pub(super) fn password(&mut self, name: &str) -> Result<Secret, CliError> {
        if let Some(known) = self.content.users.get(name) {
            return Ok(known.clone());
        }
        let mut bytes = [0; PASSWORD_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| CliError::Other(format!("no randomness: {error}")))?;
        let password = Secret::new(hex(&bytes));
        let _ = self.content.users.insert(name.to_owned(), password.clone());
        write_private(&self.path, &self.content)?;
        Ok(password)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("users.json");
        let bob = UsersFile::open(&path).unwrap().password("bob").unwrap();
        let mut again = UsersFile::open(&path).unwrap();
        let (eve, known) = (again.password("eve").unwrap(), again.password("bob").unwrap());
        assert_eq!((known.expose(), bob.expose().len()), (bob.expose(), 2 * PASSWORD_BYTES));
        assert_ne!(eve.expose(), bob.expose());
        assert!(!format!("{again:?}").contains(bob.expose()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        std::fs::write(&path, "bob").unwrap();
        assert!(UsersFile::open(&path).unwrap_err().to_string().contains("another file"));
    }
}
