//! Makes one patch.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use base16ct::lower::encode_string as hex;
use sha2::{Digest as _, Sha256};
use spindrift_patch::{Common, Samples, Watch as _};

use super::comparison::Comparison;

/// Bytes read at a time.
const CHUNK: usize = 64 * 1024;

/// Whether a file is compressed, so that a patch would save nothing.
pub(super) fn is_compressed(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut samples = Samples::default();
    for start in Samples::starts(length) {
        file.seek(SeekFrom::Start(start))?;
        let mut sample = Vec::new();
        (&file).take(Samples::BYTES as u64).read_to_end(&mut sample)?;
        samples.add(&sample)?;
    }
    Ok(samples.are_compressed())
}

/// A patch in a file.
pub(super) struct Diff {
    pub(super) length: u64,
    pub(super) base_sha256: String,
}

/// Writes the patch from `base` to `new`. Blocks. Needs up to about 2 GiB of memory.
pub(super) fn make(base: &Path, new: &Path, patch: &Path, comparison: &Comparison) -> io::Result<Diff> {
    let (mut old, mut new) = (File::open(base)?, File::open(new)?);
    let common = Common::of(&mut old, &mut new, &|| comparison.may_continue())?;
    if common.is_nothing() {
        return Err(io::Error::other("the files have nothing in common"));
    }
    let mut file = File::create(patch)?;
    spindrift_patch::make(&mut old, &mut new, &common, &mut file, comparison)?;
    file.flush()?;
    Ok(Diff { length: file.metadata()?.len(), base_sha256: sha256(base)? })
}

/// The SHA-256 of a file.
pub(super) fn sha256(path: &Path) -> io::Result<String> {
    let (mut digest, mut file) = (Sha256::new(), BufReader::with_capacity(CHUNK, File::open(path)?));
    loop {
        let chunk = file.fill_buf()?;
        let length = chunk.len();
        if length == 0 {
            return Ok(hex(&digest.finalize()));
        }
        digest.update(chunk);
        file.consume(length);
    }
}
