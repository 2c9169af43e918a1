//! Making one patch.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use base16ct::lower::encode_string as hex;
use bidiff::enc::Writer;
use bidiff::{DiffParams, Translator};
use brotli::CompressorWriter;
use sha2::{Digest as _, Sha256};

/// The file is compared in pieces of this length, on all processors. The patch is the same on each machine.
const PIECE_BYTES: usize = 16 * 1024 * 1024;
/// Quality of the compression. Higher ones take ten times as long, for a tenth of the size.
const QUALITY: u32 = 9;
/// The window of the compression: 4 MiB, as binary logarithm. Clients need as much memory.
const WINDOW: u32 = 22;
/// Bytes compressed at a time.
const BUFFER: usize = 64 * 1024;

/// Bytes at the beginning, in the middle and at the end of a file that tell whether it is compressed: 1 MiB each.
const SAMPLE_BYTES: u64 = 1024 * 1024;
/// Samples that keep more than this percentage of their bytes when they are compressed are compressed already.
const COMPRESSED_PERCENT: u64 = 98;

/// Whether a file is compressed, so that two versions have nothing in common. Comparing them would take minutes.
pub(super) fn is_compressed(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let (mut whole, mut packed) = (0, 0);
    for start in [0, length / 2, length.saturating_sub(SAMPLE_BYTES)] {
        file.seek(SeekFrom::Start(start))?;
        let mut sample = Vec::new();
        whole += (&file).take(SAMPLE_BYTES).read_to_end(&mut sample)? as u64;
        let mut compressed = Vec::new();
        CompressorWriter::new(&mut compressed, BUFFER, 1, WINDOW).write_all(&sample)?;
        packed += compressed.len() as u64;
    }
    Ok(packed * 100 > whole * COMPRESSED_PERCENT)
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
    let mut packed = CompressorWriter::new(&mut file, BUFFER, QUALITY, WINDOW);
    let params = DiffParams::new(1, Some(PIECE_BYTES)).map_err(io::Error::other)?;
    let mut writer = Writer::new(&mut packed)?;
    let mut translator = Translator::new(&base, &new, |control| writer.write(control));
    bidiff::diff(&base, &new, &params, |found| translator.translate(found))?;
    translator.close()?;
    packed.flush()?;
    drop(packed);
    file.flush()?;
    Ok(Diff { length: file.metadata()?.len(), base_sha256: hex(&Sha256::digest(&base)) })
}
