//! Splits a file into content-defined blocks, exactly as electron-builder does: two versions share
//! blocks only if both were split by the same rule.
//!
//! A block ends where the low bits of a Rabin fingerprint of the last 64 bytes are all set. The
//! fingerprint is the remainder of dividing these bytes, as a polynomial over GF(2), by a fixed
//! polynomial. See [go-rabin](https://pkg.go.dev/github.com/aclements/go-rabin/rabin).

use std::io::{self, Read};

/// Minimum length of a block, in bytes, except for the last.
const MIN: usize = 8 * 1024;
/// Maximum length of a block, in bytes.
const MAX: usize = 32 * 1024;
/// The bits that are set where a block ends. Blocks have 16 KiB on average.
const END: u64 = 16 * 1024 - 1;
/// Length of the fingerprint's window, in bytes.
const WINDOW: usize = 64;
/// The exponent of `x` for a byte that leaves the window: 8 for each of the other bytes.
const LEAVING: u32 = 8 * 63;
/// The fixed polynomial, of degree 63.
const DIVISOR: u64 = 0xbfe6_b8a5_bf37_8d83;
/// Mask for the bits of a remainder.
const REMAINDER: u64 = (1 << 63) - 1;

/// For each byte, its remainder times `x` to the power of 63, and of [`LEAVING`]: what to add when
/// the fingerprint overflows, and when the byte leaves the window.
const TABLES: ([u64; 256], [u64; 256]) = {
    let (mut grown, mut leaving) = ([0; 256], [0; 256]);
    let (mut at, mut byte) = (0, 0);
    while at < 256 {
        grown[at] = times_x(byte, 63);
        leaving[at] = times_x(byte, LEAVING);
        at += 1;
        byte += 1;
    }
    (grown, leaving)
};

const fn times_x(mut remainder: u64, power: u32) -> u64 {
    let mut at = 0;
    while at < power {
        remainder <<= 1;
        if remainder > REMAINDER {
            remainder ^= DIVISOR;
        }
        at += 1;
    }
    remainder
}

/// Calls `found` with each block of a file, in order. Needs memory for one block.
pub(super) fn each(mut file: impl Read, mut found: impl FnMut(&[u8])) -> io::Result<()> {
    let mut block = Vec::with_capacity(MAX);
    loop {
        let missing = (MAX - block.len()) as u64;
        file.by_ref().take(missing).read_to_end(&mut block)?;
        if block.is_empty() {
            return Ok(());
        }
        let end = end(&block);
        found(&block[..end]);
        block.drain(..end);
    }
}

/// Where the first block of these bytes ends. There are at least [`MAX`] of them, unless the file
/// ends.
fn end(bytes: &[u8]) -> usize {
    let (grown, leaving) = &TABLES;
    let mut fingerprint = 0;
    for (at, byte) in bytes.iter().enumerate().skip(MIN - WINDOW) {
        if at >= MIN {
            fingerprint ^= leaving[usize::from(bytes[at - WINDOW])];
        }
        let [top, ..] = (fingerprint << 1).to_be_bytes();
        fingerprint = ((fingerprint << 8) & REMAINDER | u64::from(*byte)) ^ grown[usize::from(top)];
        if at + 1 >= MIN && (fingerprint & END == END || at + 1 == MAX) {
            return at + 1;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(bytes: &[u8]) -> Vec<usize> {
        let mut lengths = Vec::new();
        each(bytes, |block| lengths.push(block.len())).unwrap();
        lengths
    }

    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        std::iter::repeat_with(next).take(length).collect()
    }

    #[test]
    fn blocks_are_cut_by_content() {
        assert_eq!(lengths(&[]), [0; 0]);
        assert_eq!(lengths(&[0; 100]), [100]);
        assert_eq!(lengths(&vec![0; 3 * MAX + 1]), [MAX, MAX, MAX, 1]);
        let (bytes, mut moved) = (noise(1_000_000), noise(1_000_000));
        let of = lengths(&bytes);
        assert_eq!(of.iter().sum::<usize>(), bytes.len());
        moved.splice(500_000..500_000, [1, 2, 3]);
        let moved = lengths(&moved);
        let same = of.iter().rev().zip(moved.iter().rev()).take_while(|(one, other)| one == other).count();
        assert!(same > 20, "the blocks behind an insertion are the same");
    }
}
