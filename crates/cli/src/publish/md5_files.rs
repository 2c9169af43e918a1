//! MD5 of many files: a few threads that hash, each with several files in its lanes, and for every file in a lane a
//! thread that reads ahead.

use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

use base16ct::lower::encode_string as hex;
use bytes::{Buf as _, Bytes};
use spindrift_md5_lanes::{BLOCK, Engine, LANES, State};

use super::digest::{broken_off, changed, read};
use super::files::LocalFile;
use super::progress::{Meter, Progress};
use crate::error::CliError;

/// Chunks of a file that are read ahead: together with the lanes this bounds the memory.
const AHEAD: usize = 4;

/// Files that no lane has taken yet, each with its place; the largest is the last.
type Queue<'a> = Mutex<Vec<(usize, &'a LocalFile)>>;

/// Lower-case hexadecimal MD5 of every file, in their order. Blocks; at most `threads` threads hash.
///
/// # Errors
/// A file that cannot be read, or does not have the length it had before.
pub(super) fn md5_of_all(
    files: &[LocalFile],
    threads: usize,
    progress: &Progress,
) -> Result<Vec<String>, CliError> {
    let engine = Engine::new();
    let mut queue: Vec<(usize, &LocalFile)> = files.iter().enumerate().collect();
    // Large ones first, so that the lanes are full until the end.
    queue.sort_by_key(|(_, file)| file.length);
    let queue = Mutex::new(queue);
    let mut digests = thread::scope(|scope| {
        let running: Vec<_> = (0..hashers(engine, files.len(), threads))
            .map(|_| Hasher { engine, queue: &queue, progress, scope })
            .map(|hasher| scope.spawn(|| hasher.run()))
            .collect();
        let mut digests = Vec::with_capacity(files.len());
        for hasher in running {
            digests.extend(hasher.join().map_err(|_| broken_off())??);
        }
        Ok::<_, CliError>(digests)
    })?;
    digests.sort_unstable();
    Ok(digests.into_iter().map(|(_, digest)| digest).collect())
}

/// How many threads hash `files`.
fn hashers(engine: Engine, files: usize, threads: usize) -> usize {
    if files <= threads && !engine.lanes_are_fast() {
        files
    } else {
        // Full lanes leave the other processors to the reading.
        files.div_ceil(LANES).min(threads)
    }
}

/// One thread that hashes.
struct Hasher<'scope, 'env> {
    engine: Engine,
    queue: &'env Queue<'env>,
    progress: &'env Progress,
    scope: &'scope Scope<'scope, 'env>,
}

/// A file that is being hashed.
struct Lane<'scope> {
    place: usize,
    file: &'scope LocalFile,
    meter: Meter,
    chunks: Receiver<Bytes>,
    reader: ScopedJoinHandle<'scope, Result<(), CliError>>,
    /// What of the last chunk is not hashed yet.
    chunk: Bytes,
    state: State,
}

impl<'scope> Hasher<'scope, '_> {
    /// Hashes until the queue is empty; answers places and digests.
    fn run(self) -> Result<Vec<(usize, String)>, CliError> {
        let outcome = self.hash();
        if outcome.is_err() {
            // Nobody needs the rest.
            self.queue.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        outcome
    }

    fn hash(&self) -> Result<Vec<(usize, String)>, CliError> {
        let mut digests = Vec::new();
        let mut lanes: [Option<Lane<'scope>>; LANES] = std::array::from_fn(|_| self.next());
        while lanes.iter().any(Option::is_some) {
            for slot in &mut lanes {
                while let Some(lane) = slot
                    && lane.is_at_its_end()?
                {
                    let next = self.next();
                    digests.extend(std::mem::replace(slot, next).map(Lane::finish).transpose()?);
                }
            }
            let whole_blocks = lanes.iter().flatten().map(|lane| lane.chunk.len() / BLOCK).min();
            let length = whole_blocks.unwrap_or(0) * BLOCK;
            self.engine.advance(
                lanes
                    .each_mut()
                    .map(|slot| slot.as_mut().map(|lane| (&mut lane.state, &lane.chunk[..length]))),
            );
            for lane in lanes.iter_mut().flatten() {
                lane.chunk.advance(length);
            }
        }
        Ok(digests)
    }

    /// Begins with the next file.
    fn next(&self) -> Option<Lane<'scope>> {
        let (place, file) = self.queue.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
        let meter = self.progress.meter("hashing", &file.name, file.length);
        let (to, chunks) = sync_channel(AHEAD);
        let reader = self.scope.spawn(move || read(file, |chunk| to.send(chunk).is_ok()));
        Some(Lane { place, file, meter, chunks, reader, chunk: Bytes::new(), state: State::new() })
    }
}

impl Lane<'_> {
    /// Gets more bytes if less than a block is left.
    fn is_at_its_end(&mut self) -> Result<bool, CliError> {
        while self.chunk.len() < BLOCK {
            let Ok(chunk) = self.chunks.recv() else { return Ok(true) };
            if !self.chunk.is_empty() {
                // Chunks are whole blocks up to the end, which was not the end then.
                return Err(changed(self.file));
            }
            self.meter.add(chunk.len() as u64);
            self.chunk = chunk;
        }
        Ok(false)
    }

    fn finish(self) -> Result<(usize, String), CliError> {
        self.reader.join().map_err(|_| broken_off())??;
        self.meter.done("hashed");
        Ok((self.place, hex(&self.state.finish(&self.chunk, self.file.length))))
    }
}

#[cfg(test)]
mod tests {
    use md5::{Digest as _, Md5};

    use super::*;
    use crate::output::Output;
    use crate::publish::digest::CHUNK;

    fn content(place: usize, length: usize) -> Vec<u8> {
        (0..length).map(|at| ((at * 31) ^ (at >> 8) ^ (place * 7)).to_le_bytes()[0]).collect()
    }

    fn files(folder: &tempfile::TempDir, lengths: &[usize]) -> Vec<LocalFile> {
        let file = |(place, &length): (usize, &usize)| {
            let path = folder.path().join(place.to_string());
            std::fs::write(&path, content(place, length)).unwrap();
            LocalFile { path, name: place.to_string(), length: length as u64 }
        };
        lengths.iter().enumerate().map(file).collect()
    }

    fn hashed(files: &[LocalFile], threads: usize) -> Result<Vec<String>, CliError> {
        md5_of_all(files, threads, &Progress::new(Output { json: false, quiet: true }))
    }

    #[test]
    fn files_of_all_sizes_get_their_own_digests() {
        let folder = tempfile::tempdir().unwrap();
        let lengths = [0, 1, 2 * CHUNK + 1, 63, CHUNK, 64, 65, CHUNK - 1, 3 * CHUNK + 64, 55, 56, CHUNK + 63];
        let files = files(&folder, &lengths);
        let expected: Vec<String> = lengths
            .iter()
            .enumerate()
            .map(|(place, &length)| hex(&Md5::digest(content(place, length))))
            .collect();
        for count in [0, 1, 2, 4, 5, lengths.len()] {
            for threads in [1, 2, 8] {
                assert_eq!(hashed(&files[..count], threads).unwrap(), expected[..count], "{count} {threads}");
            }
        }
    }

    #[test]
    fn one_file_that_is_not_what_it_was_fails_all() {
        let folder = tempfile::tempdir().unwrap();
        for length in [2 * CHUNK as u64 - 1, 2 * CHUNK as u64 + 1] {
            let mut files = files(&folder, &[5, 2 * CHUNK, 3 * CHUNK, 7, 8, 9]);
            files[1].length = length;
            assert!(hashed(&files, 2).unwrap_err().to_string().contains("changed"));
        }
        let mut files = files(&folder, &[1, 2, 3]);
        files[2].path = folder.path().join("absent");
        assert!(hashed(&files, 1).unwrap_err().to_string().contains("absent"));
    }
}
