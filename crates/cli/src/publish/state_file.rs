//! What a killed run leaves for the next one: a private file with the upload's addresses and what was sent.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use spindrift_api::{UploadFileBody, UploadInitBody};

use crate::config::{create_private_folder, write_private};
use crate::error::CliError;
use crate::secret::Secret;

/// Ending of state files.
const ENDING: &str = "json";
/// Ending of lock files.
const LOCK: &str = "lock";
/// Sessions that end sooner than this are not taken up again, in seconds.
const LEAST_LIFE: i64 = 20;

/// An upload that the service granted.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Granted {
    pub(super) upload_id: String,
    /// RFC 3339.
    pub(super) expires_at: String,
    pub(super) files: Vec<GrantedFile>,
}

/// Where one file goes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct GrantedFile {
    pub(super) name: String,
    /// Whoever has it can write the file.
    pub(super) url: Secret,
    /// Part of the signature.
    pub(super) headers: BTreeMap<String, String>,
    /// The storage has it.
    #[serde(default)]
    pub(super) sent: bool,
    /// Computed while it was sent.
    #[serde(default)]
    pub(super) sha256: Option<String>,
    /// Computed while it was sent.
    #[serde(default)]
    pub(super) sha512: Option<String>,
}

impl From<UploadInitBody> for Granted {
    fn from(body: UploadInitBody) -> Self {
        let file = |file: UploadFileBody| GrantedFile {
            name: file.name,
            url: Secret::new(file.url),
            headers: file.headers,
            sent: false,
            sha256: None,
            sha512: None,
        };
        let files = body.files.into_iter().map(file).collect();
        Self { upload_id: body.upload_id, expires_at: body.expires_at, files }
    }
}

/// The place of one upload's state. As long as it lives, no other process has the same.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    _lock: File,
}

impl StateFile {
    /// The state of the upload with this key, a hexadecimal digest of all that makes it what it is.
    pub(super) fn open(folder: &Path, key: &str) -> Result<Self, CliError> {
        create_private_folder(folder).map_err(CliError::file(folder))?;
        forget_old(folder);
        let path = folder.join(key).with_extension(ENDING);
        let lock_path = path.with_extension(LOCK);
        let lock = File::create(&lock_path).map_err(CliError::file(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(CliError::Conflict(
                "the same files are being published by another process: wait for it".to_owned(),
            )),
            Err(TryLockError::Error(error)) => Err(CliError::file(&lock_path)(error)),
        }
    }

    /// The upload that an earlier run left, if its addresses are still good at `now`. A file that cannot be read is
    /// none.
    pub(super) fn read(&self, now: Timestamp) -> Option<Granted> {
        read(&self.path).filter(|granted| lives(granted, now))
    }

    pub(super) fn write(&self, granted: &Granted) -> Result<(), CliError> {
        write_private(&self.path, granted)
    }

    /// The upload is over, one way or the other.
    pub(super) fn forget(&self) {
        // What cannot be removed expires.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Drop for StateFile {
    fn drop(&mut self) {
        // Whoever opened it meanwhile holds a lock on a file without a name, and begins an upload of its own.
        let _ = std::fs::remove_file(self.path.with_extension(LOCK));
    }
}

fn read(path: &Path) -> Option<Granted> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

fn lives(granted: &Granted, now: Timestamp) -> bool {
    granted.expires_at.parse::<Timestamp>().is_ok_and(|end| end.as_second() - now.as_second() > LEAST_LIFE)
}

/// Removes what nobody can use any more.
fn forget_old(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let states =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == ENDING));
    for path in states {
        if read(&path).is_none_or(|granted| !lives(&granted, Timestamp::now())) {
            // Another process may have removed it.
            let _ = std::fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(expires_at: &str) -> Granted {
        let file = GrantedFile {
            name: "a.deb".into(),
            url: Secret::new("http://s3/?X-Amz-Signature=1"),
            headers: BTreeMap::new(),
            sent: true,
            sha256: None,
            sha512: None,
        };
        Granted { upload_id: "u".into(), expires_at: expires_at.into(), files: vec![file] }
    }

    #[test]
    fn an_upload_is_remembered_until_it_expires() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFile::open(folder.path(), "k").unwrap();
        let granted = granted("2026-11-21T01:53:42+00:00");
        assert!(!format!("{granted:?}").contains("Signature"));
        state.write(&granted).unwrap();
        let at = |time: &str| time.parse::<Timestamp>().unwrap();
        assert!(state.read(at("2026-11-21T01:53:00Z")).unwrap().files[0].sent);
        assert!(state.read(at("2026-11-21T01:53:30Z")).is_none());
        state.forget();
        assert!(state.read(at("2026-11-21T01:00:00Z")).is_none());
    }

    #[test]
    fn one_process_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let first = StateFile::open(folder.path(), "k").unwrap();
        assert!(StateFile::open(folder.path(), "k").is_err());
        assert!(StateFile::open(folder.path(), "other").is_ok());
        drop(first);
        assert!(StateFile::open(folder.path(), "k").is_ok());
    }

    #[test]
    fn what_expired_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        StateFile::open(folder.path(), "old").unwrap().write(&granted("2020-01-01T00:00:00Z")).unwrap();
        let _state = StateFile::open(folder.path(), "new").unwrap();
        assert!(!folder.path().join("old.json").exists());
    }
}
