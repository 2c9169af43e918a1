//! Makes patches of the format `bidiff-brotli`: what [bidiff](https://docs.rs/bidiff) finds, compressed with Brotli.

#[cfg(target_family = "wasm")]
mod module;

use std::io::{self, Write};

use bidiff::enc::Writer;
use bidiff::{DiffParams, Translator};
use brotli::CompressorWriter;

/// The file is compared in pieces of this length, on all processors. The patch is the same on each machine.
const PIECE_BYTES: usize = 16 * 1024 * 1024;
/// Quality of the compression. Higher ones take ten times as long, for a tenth of the size.
const QUALITY: u32 = 9;
/// The window of the compression: 4 MiB, as binary logarithm. Clients need as much memory.
const WINDOW: u32 = 22;
/// Bytes compressed at a time.
const BUFFER: usize = 64 * 1024;

/// Parts of a file that tell whether it is compressed: two versions of such a file have nothing in common, and comparing them
/// would take minutes.
#[derive(Debug, Default)]
pub struct Samples {
    bytes: usize,
    compressed: usize,
}

impl Samples {
    /// Bytes of a sample; fewer if the file ends before.
    pub const BYTES: usize = 1024 * 1024;
    /// Samples that keep more than this percentage of their bytes when they are compressed are compressed already.
    const COMPRESSED_PERCENT: usize = 98;

    /// Where the samples of a file begin: its beginning, its middle and its end.
    #[must_use]
    pub fn starts(length: u64) -> [u64; 3] {
        [0, length / 2, length.saturating_sub(Self::BYTES as u64)]
    }

    /// Compresses a sample.
    ///
    /// # Errors
    /// Those of a writer. A buffer in memory has none.
    pub fn add(&mut self, sample: &[u8]) -> io::Result<()> {
        let mut compressed = Vec::new();
        CompressorWriter::new(&mut compressed, BUFFER, 1, WINDOW).write_all(sample)?;
        self.bytes += sample.len();
        self.compressed += compressed.len();
        Ok(())
    }

    /// Whether the file is compressed.
    #[must_use]
    pub fn are_compressed(&self) -> bool {
        self.compressed * 100 > self.bytes * Self::COMPRESSED_PERCENT
    }
}

/// Writes the patch that makes `new` from `base`. Takes five times as much memory as the base has bytes, beside both files.
///
/// # Errors
/// The base is empty, or an error of the writer.
pub fn make(base: &[u8], new: &[u8], patch: impl Write) -> io::Result<()> {
    if base.is_empty() {
        return Err(io::Error::other("the older file is empty"));
    }
    let mut packed = CompressorWriter::new(patch, BUFFER, QUALITY, WINDOW);
    let params = DiffParams::new(1, Some(PIECE_BYTES)).map_err(io::Error::other)?;
    let mut writer = Writer::new(&mut packed)?;
    let mut translator = Translator::new(base, new, |control| writer.write(control));
    bidiff::diff(base, new, &params, |found| translator.translate(found))?;
    translator.close()?;
    packed.flush()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// Bytes without order.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        std::iter::repeat_with(next).take(length).collect()
    }

    #[test]
    fn a_patch_makes_the_new_file_from_the_base() {
        let base = noise(200_000);
        let mut new = base.clone();
        new.splice(1000..1100, *b"a few other bytes");
        let mut patch = Vec::new();
        make(&base, &new, &mut patch).unwrap();

        assert!(patch.len() < 2000, "{}", patch.len());
        let unpacked = brotli_decompressor::Decompressor::new(&*patch, BUFFER);
        let mut made = Vec::new();
        let mut reader = bipatch::Reader::new(unpacked, std::io::Cursor::new(base)).unwrap();
        reader.read_to_end(&mut made).unwrap();
        assert!(made == new);
    }

    #[test]
    fn an_empty_base_has_no_patch() {
        assert!(make(b"", b"new", Vec::new()).is_err());
    }

    #[test]
    fn compressed_files_are_told_from_others() {
        for (file, expected) in [(noise(3_000_000), true), (b"word ".repeat(1000), false), (Vec::new(), true)]
        {
            let mut samples = Samples::default();
            for start in Samples::starts(file.len() as u64) {
                let sample = file.iter().copied().skip(usize::try_from(start).unwrap()).take(Samples::BYTES);
                samples.add(&sample.collect::<Vec<u8>>()).unwrap();
            }
            assert_eq!(samples.are_compressed(), expected, "{} bytes", file.len());
        }
    }
}
