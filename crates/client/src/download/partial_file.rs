//! The partial file of a download, and its state file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use base16ct::lower::encode_string as hex;
use same_file::Handle;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncSeekExt as _, AsyncWriteExt as _};

use super::Digests;
use super::resume::Resume;
use super::verify::Mismatch;
use crate::Error;
use crate::blocking::blocking;

/// Largest accepted note, in bytes: it holds an entity tag, and servers send headers of a few KiB at most.
const MAX_NOTE_BYTES: u64 = 64 * 1024;

/// `<target>.part`, locked, with its note.
pub(super) struct PartialFile {
    file: tokio::fs::File,
    path: PathBuf,
    note_path: PathBuf,
    note: Option<PartialFileNote>,
    source: String,
    length: u64,
    /// Bytes from an earlier call.
    kept: u64,
    /// The number of answers, and earlier calls, that the bytes come from.
    pieces: u32,
}

/// The content of `<target>.part.json`: which file the bytes belong to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct PartialFileNote {
    /// SHA-256 of the identity or the URL, hexadecimal, because a URL may hold a secret.
    source: String,
    /// Strong entity tag.
    tag: String,
    /// Length in bytes.
    total: Option<u64>,
}

impl PartialFile {
    /// Opens the partial file of an earlier call, or creates one. Bytes without a matching note are
    /// discarded.
    pub(super) async fn open(target: &Path, identity: &str) -> Result<Self, Error> {
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
        let source = hex(&Sha256::digest(identity));
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

    /// The number of bytes in the file.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// How many of the bytes are from an earlier call.
    pub(super) const fn resumed_at(&self) -> u64 {
        self.kept
    }

    /// Whether the bytes come from more than one answer.
    pub(super) const fn has_several_sources(&self) -> bool {
        self.pieces > 1
    }

    /// Where to resume. `None`: start from the beginning.
    pub(super) fn resume(&self) -> Option<Resume> {
        let note = self.note.as_ref().filter(|_| self.length > 0)?;
        Some(Resume { offset: self.length, tag: note.tag.clone(), total: note.total })
    }

    /// Discards everything. The file is empty on disk before a new note is written.
    pub(super) async fn clear(&mut self) -> Result<(), Error> {
        self.note = None;
        (self.length, self.kept, self.pieces) = (0, 0, 0);
        let result = async {
            remove(&self.note_path).await?;
            self.file.set_len(0).await?;
            self.file.rewind().await?;
            self.file.sync_all().await
        };
        result.await.map_err(|error| self.file_error(error))
    }

    /// Starts a new file. Without a tag it cannot be resumed, so no note is written.
    pub(super) async fn start(&mut self, tag: Option<String>, total: Option<u64>) -> Result<(), Error> {
        self.clear().await?;
        self.pieces = 1;
        let Some(tag) = tag else { return Ok(()) };
        let note = PartialFileNote { source: self.source.clone(), tag, total };
        // Cannot fail: the note contains only texts and numbers.
        let text = serde_json::to_vec(&note).unwrap_or_default();
        tokio::fs::write(&self.note_path, text)
            .await
            .map_err(|source| Error::File { path: self.note_path.clone(), source })?;
        self.note = Some(note);
        Ok(())
    }

    /// Seeks to the end, to append more bytes of the same file.
    pub(super) async fn seek_to_end(&mut self) -> Result<(), Error> {
        self.pieces = self.pieces.saturating_add(1);
        let end = io::SeekFrom::Start(self.length);
        self.file.seek(end).await.map(drop).map_err(|error| self.file_error(error))
    }

    /// Appends bytes.
    pub(super) async fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).await.map_err(|error| self.file_error(error))?;
        self.length = self.length.saturating_add(bytes.len() as u64);
        Ok(())
    }

    /// Waits until all appended bytes are written.
    pub(super) async fn flush(&mut self) -> Result<(), Error> {
        self.file.flush().await.map_err(|error| self.file_error(error))
    }

    /// Verifies the whole file as it is on disk.
    pub(super) async fn verify(&mut self, digests: &Digests) -> Result<Result<(), Mismatch>, Error> {
        self.file.sync_all().await.map_err(|error| self.file_error(error))?;
        let file = self.for_reading().await?;
        let digests = digests.clone();
        blocking(move || digests.verify(&file)).await.map_err(|error| self.file_error(error))
    }

    /// The file, for reading. It stays locked.
    pub(super) async fn for_reading(&self) -> Result<File, Error> {
        let file = self.file.try_clone().await.map_err(|error| self.file_error(error))?;
        Ok(file.into_std().await)
    }

    /// Renames the file to its target. It stays locked until then.
    pub(super) async fn publish(self, target: &Path) -> Result<(), Error> {
        tokio::fs::rename(&self.path, target).await.map_err(|error| self.file_error(error))?;
        // The file is in place, and a note without a partial file is harmless.
        let _ = remove(&self.note_path).await;
        Ok(())
    }

    /// Deletes the partial file and its note.
    pub(super) async fn remove(self) -> Result<(), Error> {
        let result = async {
            remove(&self.note_path).await?;
            remove(&self.path).await
        };
        result.await.map_err(|error| self.file_error(error))
    }

    fn file_error(&self, source: io::Error) -> Error {
        Error::File { path: self.path.clone(), source }
    }
}

type Opened = (File, u64, Option<PartialFileNote>);

/// `None`: another process or download has it.
fn open(path: &Path, note_path: &Path) -> io::Result<Option<Opened>> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        // The file system does not support locks.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // The previous holder of the lock may have renamed the file to its target.
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

/// An unreadable note counts as none.
fn read_note(path: &Path) -> Option<PartialFileNote> {
    if std::fs::metadata(path).ok()?.len() > MAX_NOTE_BYTES {
        return None;
    }
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Removes a file if it exists.
async fn remove(path: &Path) -> io::Result<()> {
    match tokio::fs::remove_file(path).await {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

pub(super) fn with_suffix(target: &Path, suffix: &str) -> PathBuf {
    let mut path = target.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}
