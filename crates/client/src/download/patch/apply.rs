//! Applying a patch in bounded memory and time.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write as _};

use bipatch::DecodeError;
use brotli_decompressor::Decompressor;

use super::patched_file::PatchedFile;
use super::stop::Stop;
use super::unusable::Unusable;

/// The largest window of Brotli, as binary logarithm: 4 MiB. The memory of the decompression.
const MAX_WINDOW: u32 = 22;
/// An unpacked patch may have twice as many bytes as the file that it makes, and this many more.
const MORE_BYTES: u64 = 1024 * 1024;
/// A patch may have one record for each group of this many bytes in the file that it makes.
const BYTES_OF_RECORD: u64 = 16;
/// Number of records that it may have in addition.
const MORE_RECORDS: u64 = 1024;
/// Bytes read and written at a time.
const CHUNK_SIZE: usize = 64 * 1024;

/// Applies a patch. Memory is bounded by the window of Brotli, the result by its length, and the time by both
/// and by `stop`.
pub(super) fn apply(
    base: &File,
    patch: &File,
    patched: &PatchedFile,
    length: u64,
    stop: &Stop,
) -> Result<(), Unusable> {
    let mut reader = reader(base, patch, length, stop).map_err(Unusable::Broken)?;
    let written = |error| Unusable::at(patched.path(), error);
    let (mut file, mut chunk) = (patched.file(), vec![0; CHUNK_SIZE]);
    loop {
        stop.check().map_err(Unusable::Broken)?;
        let read = reader.read(&mut chunk).map_err(Unusable::Broken)?;
        if read == 0 {
            break;
        }
        file.write_all(chunk.get(..read).unwrap_or_default()).map_err(written)?;
    }
    file.sync_all().map_err(written)
}

/// Reads the file that the patch makes: at most one byte more than expected, which is enough to detect a
/// wrong file.
fn reader<'a>(
    mut base: &'a File,
    mut patch: &'a File,
    length: u64,
    stop: &'a Stop,
) -> io::Result<impl Read + use<'a>> {
    // Both were read to their ends when they were verified.
    base.rewind()?;
    patch.rewind()?;
    let packed = WindowLimit { inner: StoppableReader { inner: patch, stop }, is_checked: false };
    let unpacked = Decompressor::new(packed, CHUNK_SIZE);
    let unpacked = BufReader::new(unpacked.take(length.saturating_mul(2).saturating_add(MORE_BYTES)));
    let records = (length / BYTES_OF_RECORD).saturating_add(MORE_RECORDS);
    let base = BaseReader { file: BufReader::new(base), records, stop };
    let reader = bipatch::Reader::new(unpacked, base).map_err(|error| match error {
        DecodeError::IO(error) => error,
        error => io::Error::other(error),
    })?;
    Ok(reader.take(length.saturating_add(1)))
}

/// A reader that fails once its work has been stopped.
struct StoppableReader<'a> {
    inner: &'a File,
    stop: &'a Stop,
}

impl Read for StoppableReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stop.check()?;
        self.inner.read(buffer)
    }
}

/// Refuses a stream of Brotli whose window needs too much memory. The first byte says how large it is.
struct WindowLimit<R> {
    inner: R,
    is_checked: bool,
}

impl<R: Read> Read for WindowLimit<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        if let Some(first) = buffer.get(..read).and_then(<[u8]>::first)
            && !self.is_checked
        {
            self.is_checked = true;
            if window(*first).is_none_or(|window| window > MAX_WINDOW) {
                let text = format!("its window is not at most {} MiB", (1_u64 << MAX_WINDOW) >> 20);
                return Err(io::Error::other(text));
            }
        }
        Ok(read)
    }
}

/// The window that a stream of Brotli begins with, as binary logarithm: RFC 7932, section 9.1. `None`: a
/// large window, which is not part of that format, and can have a GiB.
fn window(first: u8) -> Option<u32> {
    if first & 1 == 0 {
        return Some(16);
    }
    match (u32::from(first >> 1) & 7, u32::from(first >> 4) & 7) {
        (0, 0) => Some(17),
        (0, 1) => None,
        (0, bits) => Some(8 + bits),
        (bits, _) => Some(17 + bits),
    }
}

/// The base. Each record of a patch ends with a seek, so they are counted here.
struct BaseReader<'a> {
    file: BufReader<&'a File>,
    records: u64,
    stop: &'a Stop,
}

impl Read for BaseReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Seek for BaseReader<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.stop.check()?;
        let left = self.records.checked_sub(1);
        self.records = left.ok_or_else(|| io::Error::other("it has too many records"))?;
        match to {
            // Keeps the bytes that were read ahead. The caller does not need the new position, which would
            // cost a system call.
            SeekFrom::Current(distance) => self.file.seek_relative(distance).map(|()| 0),
            to => self.file.seek(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::stop::WorkGuard;
    use super::*;

    #[test]
    fn the_first_byte_tells_the_window() {
        // As RFC 7932 lists them, for each window from 10 to 24.
        let codes = [
            (10, 0x21),
            (11, 0x31),
            (12, 0x41),
            (13, 0x51),
            (14, 0x61),
            (15, 0x71),
            (16, 0x00),
            (17, 0x01),
            (18, 0x03),
            (19, 0x05),
            (20, 0x07),
            (21, 0x09),
            (22, 0x0b),
            (23, 0x0d),
            (24, 0x0f),
        ];
        for (expected, first) in codes {
            assert_eq!(window(first), Some(expected), "{first:#x}");
        }
        assert_eq!((window(0x11), window(0x91)), (None, None));
    }

    #[test]
    fn nothing_is_left_when_the_call_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("base");
        std::fs::write(&path, "base").unwrap();
        let base = File::open(path).unwrap();
        let (running, stop) = WorkGuard::start(Duration::MAX);
        drop(running);
        let patched = PatchedFile::new(&folder.path().join("app")).unwrap();
        let why = apply(&base, &base, &patched, 4, &stop).unwrap_err();
        assert_eq!(why.to_string(), "the patch cannot be applied: cancelled");
        drop(patched);
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }

    /// The one in `crates/patch/format.md`.
    #[test]
    fn the_described_patch_makes_what_is_described() {
        let unpacked = b"\xdf\xb1\0\0\0\x10\0\0\0\x01H\x02\x04\0\0\0\0\x01,\0\x06\0\0\0\0\0\0\0\0";
        let mut packed = Vec::new();
        brotli::CompressorWriter::new(&mut packed, CHUNK_SIZE, 9, MAX_WINDOW).write_all(unpacked).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let [base, patch] = [("base", &b"hello world"[..]), ("patch", &packed)].map(|(name, bytes)| {
            std::fs::write(folder.path().join(name), bytes).unwrap();
            File::open(folder.path().join(name)).unwrap()
        });
        let patched = PatchedFile::new(&folder.path().join("app")).unwrap();
        let (_running, stop) = WorkGuard::start(Duration::MAX);
        apply(&base, &patch, &patched, 12, &stop).unwrap();
        assert_eq!(std::fs::read(patched.path()).unwrap(), b"Hello, world");
    }
}
