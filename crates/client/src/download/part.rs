//! The file that a download is written to, and what is known about it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use base16ct::lower::encode_string as hex;
use same_file::Handle;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncSeekExt as _, AsyncWriteExt as _};
use url::Url;

use super::Digests;
use super::plan::Resume;
use super::verify::Mismatch;
use crate::Error;

/// Largest note that is read, in bytes: an entity tag is a header, of which a server sends some KiB at most.
const MAX_NOTE_BYTES: u64 = 64 * 1024;

/// `<target>.part`, locked, and its note.
pub(super) struct Part {
    file: tokio::fs::File,
    path: PathBuf,
    note_path: PathBuf,
    note: Option<Note>,
    source: String,
    length: u64,
    /// Bytes of an earlier call.
    kept: u64,
    /// How many answers, and earlier calls, the bytes are of.
    pieces: u32,
}

/// What `<target>.part.json` says: which file the bytes are of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    /// SHA-256 of the address, hexadecimal: the address itself may hold a secret.
    source: String,
    /// Strong entity tag.
    tag: String,
    /// Length in bytes.
    total: Option<u64>,
}

impl Part {
    /// Opens what an earlier call left, or creates it. Bytes without a note that fits are dropped.
    pub(super) async fn open(target: &Path, url: &Url) -> Result<Self, Error> {
        let path = with_suffix(target, ".part");
        let note_path = with_suffix(target, ".part.json");
        let opened = {
            let (path, note_path) = (path.clone(), note_path.clone());
            blocking(move || open(&path, &note_path)).await
        };
        let (file, length, note) = match opened {
            Ok(Some(opened)) => opened,
            Ok(None) => return Err(Error::Busy { path }),
            Err(source) => return Err(Error::File { path, source }),
        };
        let source = hex(&Sha256::digest(url.as_str()));
        let file = tokio::fs::File::from_std(file);
        let pieces = u32::from(length > 0);
        let mut part = Self { file, path, note_path, note, source, length, kept: length, pieces };
        let fits = part.note.as_ref().is_some_and(|note| {
            note.source == part.source && note.total.is_none_or(|total| part.length <= total)
        });
        if !fits && (part.length > 0 || part.note.is_some()) {
            part.clear().await?;
        }
        Ok(part)
    }

    /// Bytes that are there.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// How many of them an earlier call brought.
    pub(super) const fn resumed_at(&self) -> u64 {
        self.kept
    }

    /// Whether they came with more than one answer.
    pub(super) const fn is_pieced(&self) -> bool {
        self.pieces > 1
    }

    /// Where to go on; `None` at the beginning.
    pub(super) fn resume(&self) -> Option<Resume> {
        let note = self.note.as_ref().filter(|_| self.length > 0)?;
        Some(Resume { offset: self.length, tag: note.tag.clone(), total: note.total })
    }

    /// Drops everything. The empty file is on the disk before anything is noted about it.
    pub(super) async fn clear(&mut self) -> Result<(), Error> {
        self.note = None;
        (self.length, self.kept, self.pieces) = (0, 0, 0);
        let result = async {
            remove(&self.note_path).await?;
            self.file.set_len(0).await?;
            self.file.rewind().await?;
            self.file.sync_all().await
        };
        result.await.map_err(|error| self.failed(error))
    }

    /// Begins a new file. Without a tag it cannot be resumed, and nothing is noted.
    pub(super) async fn start(&mut self, tag: Option<String>, total: Option<u64>) -> Result<(), Error> {
        self.clear().await?;
        self.pieces = 1;
        let Some(tag) = tag else { return Ok(()) };
        let note = Note { source: self.source.clone(), tag, total };
        // Texts and numbers have a JSON form.
        let text = serde_json::to_vec(&note).unwrap_or_default();
        tokio::fs::write(&self.note_path, text)
            .await
            .map_err(|source| Error::File { path: self.note_path.clone(), source })?;
        self.note = Some(note);
        Ok(())
    }

    /// Goes to the end, where the next bytes of the same file go.
    pub(super) async fn go_on(&mut self) -> Result<(), Error> {
        self.pieces = self.pieces.saturating_add(1);
        let end = io::SeekFrom::Start(self.length);
        self.file.seek(end).await.map(drop).map_err(|error| self.failed(error))
    }

    /// Adds bytes at the end.
    pub(super) async fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).await.map_err(|error| self.failed(error))?;
        self.length = self.length.saturating_add(bytes.len() as u64);
        Ok(())
    }

    /// Waits until what was added is written.
    pub(super) async fn flush(&mut self) -> Result<(), Error> {
        self.file.flush().await.map_err(|error| self.failed(error))
    }

    /// Compares the whole file, as it is on the disk.
    pub(super) async fn verify(&mut self, digests: &Digests) -> Result<Result<(), Mismatch>, Error> {
        self.file.sync_all().await.map_err(|error| self.failed(error))?;
        let file = self.file.try_clone().await.map_err(|error| self.failed(error))?.into_std().await;
        let digests = digests.clone();
        blocking(move || digests.verify(&file)).await.map_err(|error| self.failed(error))
    }

    /// Gives the file its name. It stays locked until that is done.
    pub(super) async fn publish(self, target: &Path) -> Result<(), Error> {
        tokio::fs::rename(&self.path, target).await.map_err(|error| self.failed(error))?;
        // The file is there. A note without a part does no harm.
        let _ = remove(&self.note_path).await;
        Ok(())
    }

    /// Leaves nothing behind.
    pub(super) async fn remove(self) -> Result<(), Error> {
        let result = async {
            remove(&self.note_path).await?;
            remove(&self.path).await
        };
        result.await.map_err(|error| self.failed(error))
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::File { path: self.path.clone(), source }
    }
}

type Opened = (File, u64, Option<Note>);

/// `None` when somebody else has it.
fn open(path: &Path, note_path: &Path) -> io::Result<Option<Opened>> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        // A file system without locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // Who had the lock before may have given the file its final name.
    let same = Handle::from_path(path).and_then(|there| Ok(there == Handle::from_file(file.try_clone()?)?));
    match same {
        Ok(true) => {}
        Ok(false) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = file.metadata()?.len();
    Ok(Some((file, length, read_note(note_path))))
}

/// A note that cannot be read is no note.
fn read_note(path: &Path) -> Option<Note> {
    if std::fs::metadata(path).ok()?.len() > MAX_NOTE_BYTES {
        return None;
    }
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Removes a file that may not be there.
async fn remove(path: &Path) -> io::Result<()> {
    match tokio::fs::remove_file(path).await {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn with_suffix(target: &Path, suffix: &str) -> PathBuf {
    let mut path = target.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// Runs what blocks where it may.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}
