//! The files to publish.

use std::io::Write as _;
use std::path::Path;

/// Number of files in a release.
pub(crate) const FILES: usize = 4;
pub(crate) const MIB: u64 = 1024 * 1024;

/// Writes files with different content in every round.
pub(crate) fn write_files(folder: &Path, mib: u64, round: u32) {
    for number in 0..FILES {
        let mut file = std::fs::File::create(folder.join(file_name(number))).expect("a file");
        let mut block = vec![0_u8; usize::try_from(MIB).expect("a size")];
        for place in 0..mib {
            let seed = u64::from(round) << 40 | (number as u64) << 32 | place;
            for (chunk, counter) in block.chunks_exact_mut(8).zip(0_u64..) {
                chunk.copy_from_slice(&(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ counter).to_le_bytes());
            }
            file.write_all(&block).expect("room for the files");
        }
        // Otherwise the disk would still be writing them during the measurement.
        file.sync_all().expect("room for the files");
    }
}

/// The name of a file. Each has another extension, because a release holds one file of each package.
pub(crate) fn file_name(number: usize) -> String {
    format!("speed.{}", ["deb", "rpm", "dmg", "msi"][number % FILES])
}
