//! The state that a killed run leaves for the next one: a private file with the upload URLs and the
//! progress.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use spindrift_api::{UploadFileBody, UploadInitBody};

use crate::config::{create_private_folder, write_private};
use crate::error::CliError;
use crate::secret::Secret;

/// Extension of state files.
const ENDING: &str = "json";
/// Extension of lock files.
const LOCK: &str = "lock";
/// Minimum remaining validity of usable URLs, in seconds.
const LEAST_LIFE: i64 = 20;
/// How long an upload is remembered after its URLs have expired, in seconds: 7 days. Most services
/// issue new URLs for one day.
const REMEMBERED: i64 = 7 * 24 * 60 * 60;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct UploadGrant {
    pub(super) upload_id: String,
    /// RFC 3339.
    pub(super) expires_at: String,
    pub(super) files: Vec<FileGrant>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FileGrant {
    pub(super) name: String,
    /// A credential: anyone who has it can write the file.
    pub(super) url: Secret,
    /// The signed headers.
    pub(super) headers: BTreeMap<String, String>,
    /// Whether the storage has the file.
    pub(super) sent: bool,
    /// The multipart transfer of the file, if one has begun.
    pub(super) multipart: Option<String>,
    /// Computed during the transfer.
    pub(super) sha256: Option<String>,
    /// Computed during the transfer.
    pub(super) sha512: Option<String>,
}

impl From<UploadInitBody> for UploadGrant {
    fn from(body: UploadInitBody) -> Self {
        let file = |file: UploadFileBody| FileGrant {
            name: file.name,
            url: Secret::new(file.url),
            headers: file.headers,
            sent: false,
            multipart: None,
            sha256: None,
            sha512: None,
        };
        let files = body.files.into_iter().map(file).collect();
        Self { upload_id: body.upload_id, expires_at: body.expires_at, files }
    }
}

/// The state file of one upload. Its lock excludes other processes while this value exists.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    _lock: File,
}

impl StateFile {
    /// Opens the state of an upload. The key is a hexadecimal digest of everything that identifies the
    /// upload.
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

    /// The upload of an earlier run. `None`: there is none, or the file is unreadable.
    pub(super) fn read(&self) -> Option<UploadGrant> {
        read(&self.path)
    }

    pub(super) fn write(&self, granted: &UploadGrant) -> Result<(), CliError> {
        write_private(&self.path, granted)
    }

    /// Deletes the state, because the upload has ended.
    pub(super) fn forget(&self) {
        // A file that cannot be deleted will expire.
        let _ = std::fs::remove_file(&self.path);
    }
}

impl Drop for StateFile {
    fn drop(&mut self) {
        // Another process may have opened the lock file in the meantime. It then locks a deleted
        // file, and starts its own upload.
        let _ = std::fs::remove_file(self.path.with_extension(LOCK));
    }
}

fn read(path: &Path) -> Option<UploadGrant> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

impl UploadGrant {
    /// Whether the URLs are still usable at `now`.
    pub(super) fn is_usable(&self, now: Timestamp) -> bool {
        self.seconds_left(now).is_some_and(|left| left > LEAST_LIFE)
    }

    /// Seconds until the URLs expire; negative after that. `None`: the time is unreadable.
    fn seconds_left(&self, now: Timestamp) -> Option<i64> {
        Some(self.expires_at.parse::<Timestamp>().ok()?.as_second() - now.as_second())
    }

    /// The same upload with new URLs.
    pub(super) fn with_new_urls(self, body: UploadInitBody) -> Self {
        let mut new = Self::from(body);
        for file in &mut new.files {
            if let Some(old) = self.files.iter().find(|old| old.name == file.name) {
                file.sent = old.sent;
                file.multipart.clone_from(&old.multipart);
                file.sha256.clone_from(&old.sha256);
                file.sha512.clone_from(&old.sha512);
            }
        }
        new
    }
}

/// Deletes state files that are too old or unreadable.
fn forget_old(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let states =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == ENDING));
    for path in states {
        let left = read(&path).and_then(|granted| granted.seconds_left(Timestamp::now()));
        if left.is_none_or(|left| left < -REMEMBERED) {
            // Another process may have deleted it already.
            let _ = std::fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(expires_at: &str) -> UploadGrant {
        let file = FileGrant {
            name: "a.deb".into(),
            url: Secret::new("http://s3/?X-Amz-Signature=1"),
            headers: BTreeMap::new(),
            sent: true,
            multipart: Some("m".into()),
            sha256: None,
            sha512: None,
        };
        UploadGrant { upload_id: "u".into(), expires_at: expires_at.into(), files: vec![file] }
    }

    #[test]
    fn an_upload_is_remembered_with_its_progress() {
        let folder = tempfile::tempdir().unwrap();
        let state = StateFile::open(folder.path(), "k").unwrap();
        let granted = granted("2026-11-21T01:53:42+00:00");
        assert!(!format!("{granted:?}").contains("Signature"));
        state.write(&granted).unwrap();
        let at = |time: &str| time.parse::<Timestamp>().unwrap();
        let read = state.read().unwrap();
        assert!(read.is_usable(at("2026-11-21T01:53:00Z")));
        assert!(!read.is_usable(at("2026-11-21T01:53:30Z")));

        let file = UploadFileBody {
            name: "a.deb".into(),
            method: "PUT".into(),
            url: "http://s3/?X-Amz-Signature=2".into(),
            headers: BTreeMap::new(),
        };
        let expires_at = "2026-11-21T03:00:00+00:00".to_owned();
        let new = read.with_new_urls(UploadInitBody { upload_id: "u".into(), expires_at, files: vec![file] });
        assert!(new.is_usable(at("2026-11-21T02:00:00Z")));
        assert!(new.files[0].sent && new.files[0].url.expose().ends_with('2'));
        assert_eq!(new.files[0].multipart.as_deref(), Some("m"));
        state.forget();
        assert!(state.read().is_none());
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
    fn expired_state_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        StateFile::open(folder.path(), "old").unwrap().write(&granted("2020-01-01T00:00:00Z")).unwrap();
        let _state = StateFile::open(folder.path(), "new").unwrap();
        assert!(!folder.path().join("old.json").exists());
    }
}
