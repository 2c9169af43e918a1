//! Making one patch.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use base16ct::lower::encode_string as hex;
use sha2::{Digest as _, Sha256};
use spindrift_patch::Samples;

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

/// Writes the patch that makes `new` from `base`. Blocks. Takes six times as much memory as the files have bytes.
pub(super) fn make(base: &Path, new: &Path, patch: &Path) -> io::Result<Diff> {
    let (base, new) = (std::fs::read(base)?, std::fs::read(new)?);
    let mut file = File::create(patch)?;
    spindrift_patch::make(&base, &new, &mut file)?;
    file.flush()?;
    Ok(Diff { length: file.metadata()?.len(), base_sha256: hex(&Sha256::digest(&base)) })
}
