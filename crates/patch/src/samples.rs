//! Whether a file is compressed.

use std::io::{self, Write as _};

use brotli::CompressorWriter;

use crate::compression::{BUFFER, WINDOW};

/// Parts of a file that tell whether it is compressed: two versions of such a file have nothing in common,
/// and comparing them would take minutes.
#[derive(Debug, Default)]
pub struct Samples {
    bytes: usize,
    compressed: usize,
}

impl Samples {
    /// Bytes of a sample; fewer if the file ends before.
    pub const BYTES: usize = 1024 * 1024;
    /// Samples that keep more than this percentage of their bytes when they are compressed are compressed
    /// already.
    const COMPRESSED_PERCENT: usize = 98;

    /// Where the samples of a file begin: its beginning, its middle and its end.
    #[must_use]
    pub fn starts(length: u64) -> [u64; 3] {
        [0, length / 2, length.saturating_sub(Self::BYTES as u64)]
    }

    /// Compresses a sample.
    ///
    /// # Errors
    /// The errors of the writer. A buffer in memory has none.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noise;

    #[test]
    fn compressed_files_are_told_from_others() {
        for (file, expected) in
            [(noise(1, 3_000_000), true), (b"word ".repeat(1000), false), (Vec::new(), true)]
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
