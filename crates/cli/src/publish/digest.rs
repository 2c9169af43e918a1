//! Digests of files. Several files are hashed at a time, each in its own thread. SHA-256 and SHA-512 have
//! further threads.
//!
//! The MD5 of every file is part of its signed upload URL, so all files are hashed before the first byte is
//! sent. A processor hashes about 550 MiB/s. Computing several MD5s in the lanes of a vector was twice as
//! fast, but took 600 lines, and did not help a release with one large file.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use base16ct::lower::encode_string as hex;
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use md5::{Digest, Md5};
use sha2::{Sha256, Sha512};

use super::files::LocalFile;
use super::plan::UploadPlan;
use super::progress::{Meter, Progress};
use crate::error::CliError;

/// Bytes per read.
const CHUNK: usize = 256 * 1024;
/// Maximum number of chunks waiting for an algorithm. Together with the number of parallel files, this limits
/// the memory.
const WAITING_CHUNKS: usize = 4;
/// Maximum number of files hashed at a time. The number of processors is also a limit.
const MAX_FILES_AT_ONCE: usize = 8;

/// Digests of a file in lower-case hexadecimal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileDigests {
    pub(crate) md5: String,
    /// `None` until computed, like `sha512`.
    pub(crate) sha256: Option<String>,
    pub(crate) sha512: Option<String>,
    /// MD5 of each part, if the file is sent in parts.
    pub(crate) parts: Vec<String>,
}

/// Hashes all files. `all`: also computes SHA-256 and SHA-512.
///
/// # Errors
/// A file cannot be read, or its length has changed.
pub(crate) async fn hash_all(
    files: &[LocalFile],
    all: bool,
    progress: &Progress,
) -> Result<Vec<FileDigests>, CliError> {
    hash_each(files, |_| (all, None), progress).await
}

/// Hashes the files of an upload. For those that are sent in parts it computes SHA-256 and SHA-512 even if
/// they are only wanted for the report: they cannot be computed during the transfer.
pub(super) async fn hash_to_send(plan: &UploadPlan, all: bool) -> Result<Vec<FileDigests>, CliError> {
    let wanted = |file: &LocalFile| {
        let part_length = plan.limits.part_length(file.length);
        (all || plan.digests && part_length.is_some(), part_length)
    };
    hash_each(&plan.files.large, wanted, &plan.progress).await
}

/// Hashes all files. `wanted`: whether to compute SHA-256 and SHA-512, and the length of the parts.
async fn hash_each(
    files: &[LocalFile],
    wanted: impl Fn(&LocalFile) -> (bool, Option<u64>),
    progress: &Progress,
) -> Result<Vec<FileDigests>, CliError> {
    let at_once = thread::available_parallelism().map_or(1, usize::from).min(MAX_FILES_AT_ONCE);
    stream::iter(files)
        .map(|file| {
            let (file, (all, part_length)) = (file.clone(), wanted(file));
            let meter = progress.meter("hashing", &file.name, file.length);
            async move {
                let hashed = tokio::task::spawn_blocking(move || hash(&file, all, part_length, &meter)).await;
                hashed.map_err(|_| thread_ended_error())?
            }
        })
        .buffered(at_once)
        .try_collect()
        .await
}

/// The error for a thread that ended early.
fn thread_ended_error() -> CliError {
    CliError::Other("hashing broke off: run this again".to_owned())
}

fn hash(
    file: &LocalFile,
    all: bool,
    part_length: Option<u64>,
    meter: &Meter,
) -> Result<FileDigests, CliError> {
    let mut parts = part_length.map(PartDigests::new);
    let tap = all.then(DigestTap::open);
    let mut md5 = Md5::new();
    read(file, |chunk| {
        meter.add(chunk.len() as u64);
        if let Some(tap) = &tap {
            tap.add(&chunk);
        }
        md5.update(&chunk);
        if let Some(parts) = &mut parts {
            parts.add(&chunk);
        }
        true
    })?;
    let (sha256, sha512) = tap.map(|tap| tap.finish().ok_or_else(thread_ended_error)).transpose()?.unzip();
    meter.finish("hashed");
    let parts = parts.map(PartDigests::finish).unwrap_or_default();
    Ok(FileDigests { md5: hex(&md5.finalize()), sha256, sha512, parts })
}

/// Computes the MD5 of each part.
struct PartDigests {
    /// A multiple of [`CHUNK`].
    length: u64,
    /// Bytes of the current part so far.
    filled: u64,
    md5: Md5,
    done: Vec<String>,
}

impl PartDigests {
    fn new(length: u64) -> Self {
        Self { length, filled: 0, md5: Md5::new(), done: Vec::new() }
    }

    /// Adds a chunk, which must not extend beyond the end of the part.
    fn add(&mut self, chunk: &Bytes) {
        self.md5.update(chunk);
        self.filled += chunk.len() as u64;
        if self.filled >= self.length {
            self.end_part();
        }
    }

    fn end_part(&mut self) {
        self.done.push(hex(&self.md5.finalize_reset()));
        self.filled = 0;
    }

    fn finish(mut self) -> Vec<String> {
        if self.filled > 0 {
            self.end_part();
        }
        self.done
    }
}

/// Passes a file to `take` in chunks until `take` returns `false`. Every chunk except the last has [`CHUNK`]
/// bytes.
///
/// # Errors
/// The file cannot be read, or its length has changed.
pub(super) fn read(file: &LocalFile, mut take: impl FnMut(Bytes) -> bool) -> Result<(), CliError> {
    let mut open = File::open(&file.path).map_err(CliError::file(&file.path))?;
    let mut length = 0;
    loop {
        let mut chunk = Vec::with_capacity(CHUNK);
        let limit = CHUNK as u64;
        let count = open.by_ref().take(limit).read_to_end(&mut chunk).map_err(CliError::file(&file.path))?;
        if count == 0 {
            break;
        }
        length += count as u64;
        if length > file.length {
            break;
        }
        if !take(Bytes::from(chunk)) {
            return Ok(());
        }
    }
    if length == file.length { Ok(()) } else { Err(file_changed_error(file)) }
}

/// Passes `length` bytes of a file from `offset` on to `take`, like [`read`].
pub(super) fn read_part(
    file: &LocalFile,
    offset: u64,
    length: u64,
    mut take: impl FnMut(Bytes) -> bool,
) -> Result<(), CliError> {
    let failed = || CliError::file(&file.path);
    let mut open = File::open(&file.path).map_err(failed())?;
    if open.metadata().map_err(failed())?.len() != file.length {
        return Err(file_changed_error(file));
    }
    let _ = open.seek(SeekFrom::Start(offset)).map_err(failed())?;
    let mut left = length;
    while left > 0 {
        let mut chunk = Vec::with_capacity(CHUNK);
        let limit = left.min(CHUNK as u64);
        let count = open.by_ref().take(limit).read_to_end(&mut chunk).map_err(failed())?;
        if count == 0 {
            return Err(file_changed_error(file));
        }
        left -= count as u64;
        if !take(Bytes::from(chunk)) {
            return Ok(());
        }
    }
    Ok(())
}

/// The error for a file that changed while it was being published.
pub(super) fn file_changed_error(file: &LocalFile) -> CliError {
    CliError::Conflict(format!("{} changed while it was published: run this again", file.path.display()))
}

fn digest<D: Digest>(chunks: &Receiver<Bytes>) -> String {
    let mut digest = D::new();
    while let Ok(chunk) = chunks.recv() {
        digest.update(&chunk);
    }
    hex(&digest.finalize())
}

/// Computes SHA-256 and SHA-512 of bytes that are also sent elsewhere.
pub(super) struct DigestTap {
    to: [SyncSender<Bytes>; 2],
    hashers: [thread::JoinHandle<String>; 2],
}

impl DigestTap {
    pub(super) fn open() -> Self {
        let (to_256, from_256) = sync_channel(WAITING_CHUNKS);
        let (to_512, from_512) = sync_channel(WAITING_CHUNKS);
        let sha256 = thread::spawn(move || digest::<Sha256>(&from_256));
        let sha512 = thread::spawn(move || digest::<Sha512>(&from_512));
        Self { to: [to_256, to_512], hashers: [sha256, sha512] }
    }

    /// Adds a chunk. Blocks while the algorithms are behind.
    pub(super) fn add(&self, chunk: &Bytes) {
        for to in &self.to {
            // `finish` detects a hasher that has stopped.
            let _ = to.send(chunk.clone());
        }
    }

    /// SHA-256 and SHA-512 of all chunks. `None` if a hasher failed.
    pub(super) fn finish(self) -> Option<(String, String)> {
        drop(self.to);
        let [sha256, sha512] = self.hashers;
        Some((sha256.join().ok()?, sha512.join().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Output;

    fn local(folder: &tempfile::TempDir, name: &str, content: &[u8]) -> LocalFile {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        LocalFile { path, name: name.to_owned(), length: content.len() as u64 }
    }

    fn progress() -> Progress {
        Progress::new(Output { json: false, quiet: true })
    }

    /// The digests of `abc` from RFC 1321 and FIPS 180-4.
    #[test]
    fn vectors() {
        let folder = tempfile::tempdir().unwrap();
        let digests =
            hash(&local(&folder, "a", b"abc"), true, None, &progress().meter("hashing", "a", 3)).unwrap();
        assert_eq!(digests.md5, "900150983cd24fb0d6963f7d28e17f72");
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digests.sha256.as_deref(), Some(sha256));
        assert!(digests.sha512.unwrap().starts_with("ddaf35a193617abacc417349ae204131"));

        let tap = DigestTap::open();
        tap.add(&Bytes::from_static(b"ab"));
        tap.add(&Bytes::from_static(b"c"));
        assert_eq!(tap.finish().unwrap().0, sha256);
    }

    #[tokio::test]
    async fn files_of_all_sizes_get_their_own_digests_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let contents =
            [3 * CHUNK + 64, 0, 1, 2 * CHUNK, CHUNK - 1].map(|length| vec![length.to_le_bytes()[0]; length]);
        let files: Vec<LocalFile> = contents
            .iter()
            .enumerate()
            .map(|(place, bytes)| local(&folder, &place.to_string(), bytes))
            .collect();
        for all in [false, true] {
            let expected = contents.iter().map(|bytes| FileDigests {
                md5: hex(&Md5::digest(bytes)),
                sha256: all.then(|| hex(&Sha256::digest(bytes))),
                sha512: all.then(|| hex(&Sha512::digest(bytes))),
                parts: Vec::new(),
            });
            let expected: Vec<FileDigests> = expected.collect();
            assert_eq!(hash_all(&files, all, &progress()).await.unwrap(), expected);
        }
    }

    #[test]
    fn parts_have_their_own_digests() {
        let folder = tempfile::tempdir().unwrap();
        for length in [0, 1, 2 * CHUNK, 2 * CHUNK + 1, 5 * CHUNK + 7] {
            let bytes: Vec<u8> = (0..length).map(|place| place.to_le_bytes()[1]).collect();
            let file = local(&folder, "a", &bytes);
            let part = 2 * CHUNK;
            let digests =
                hash(&file, false, Some(part as u64), &progress().meter("hashing", "a", 0)).unwrap();
            let expected: Vec<String> = bytes.chunks(part).map(|part| hex(&Md5::digest(part))).collect();
            assert_eq!(digests.parts, expected, "{length}");
            let mut read = Vec::new();
            for (number, part) in bytes.chunks(part).enumerate() {
                let offset = (number * 2 * CHUNK) as u64;
                read_part(&file, offset, part.len() as u64, |chunk| {
                    read.extend_from_slice(&chunk);
                    true
                })
                .unwrap();
            }
            assert_eq!(read, bytes);
        }
    }

    #[tokio::test]
    async fn one_changed_file_fails_all() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["a", "b", "c"].map(|name| local(&folder, name, &vec![7; 2 * CHUNK]));
        for length in [2 * CHUNK as u64 - 1, 2 * CHUNK as u64 + 1] {
            let mut files = files.clone();
            files[1].length = length;
            assert!(hash_all(&files, false, &progress()).await.unwrap_err().to_string().contains("changed"));
        }
        let mut files = files;
        files[2].path = folder.path().join("absent");
        assert!(hash_all(&files, false, &progress()).await.unwrap_err().to_string().contains("absent"));
    }
}
