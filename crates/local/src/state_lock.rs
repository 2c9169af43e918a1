//! The lock on a state folder. Each of two processes on one folder would mistake the other's files for
//! leftovers.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use crate::error::LocalError;

/// The file in a state folder. It stays there, but the lock ends with its process, however that ends.
const LOCK_FILE: &str = "lock";

/// The exclusive right to run the service of a state folder. It is released when this value is dropped.
#[derive(Debug)]
pub(crate) struct StateLock(#[expect(dead_code, reason = "held")] File);

impl StateLock {
    /// Takes the lock of an existing folder.
    ///
    /// # Errors
    /// [`LocalError::InUse`] if another process holds it.
    pub(crate) fn take(state_dir: &Path) -> Result<Self, LocalError> {
        let path = state_dir.join(LOCK_FILE);
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(LocalError::file(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let process = holder(&mut file);
                return Err(LocalError::InUse { path: state_dir.to_owned(), process });
            }
            Err(TryLockError::Error(error)) => return Err(LocalError::file(&path)(error)),
        }
        let noted = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
        noted.map_err(LocalError::file(&path))?;
        Ok(Self(file))
    }
}

/// The process that holds the lock. `None`: the system does not let others read the file, or no process is
/// recorded yet.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().and_then(|()| file.read_to_string(&mut text)).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_at_a_time_has_a_state_folder() {
        let folder = tempfile::tempdir().unwrap();
        let lock = StateLock::take(folder.path()).unwrap();
        let error = StateLock::take(folder.path()).unwrap_err().to_string();
        if cfg!(unix) {
            assert!(error.contains(&format!(" is in use by process {}: ", std::process::id())), "{error}");
        }
        drop(lock);
        let again = StateLock::take(folder.path());
        assert!(again.is_ok(), "a file without a lock is not a lock");
    }
}
