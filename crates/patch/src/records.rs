//! The records of a patch, as `format.md` describes them.

use std::io::{self, Write};

use crate::index::SuffixIndex;
use crate::scan::Match;

/// The magic number of bidiff, and its version.
const HEAD: [u8; 8] = [0xdf, 0xb1, 0, 0, 0, 0x10, 0, 0];
/// Clients accept one record for so many bytes of the new file...
const BYTES_OF_RECORD: u64 = 16;
/// ...and 1024 more. One of those gets to where the base is similar to the beginning of the new file.
const MORE_RECORDS: u64 = 1023;

pub(crate) struct Records<W> {
    to: W,
    /// Where the last record has left the base. `None`: there is none.
    at: Option<u64>,
    /// How many more are accepted.
    left: u64,
    differences: Vec<u8>,
}

impl<W: Write> Records<W> {
    /// Begins a patch that makes a file of this length.
    pub(crate) fn begin(mut to: W, length: u64) -> io::Result<Self> {
        to.write_all(&HEAD)?;
        Ok(Self { to, at: None, left: length / BYTES_OF_RECORD + MORE_RECORDS, differences: Vec::new() })
    }

    /// Writes the record of a match, except its end, which says where the next one begins.
    pub(crate) fn write(&mut self, index: &SuffixIndex, piece: &[u8], found: Match) -> io::Result<()> {
        if found.end == found.new {
            return Ok(());
        }
        let left = self.left.checked_sub(1);
        self.left = left.ok_or_else(|| io::Error::other("the files have too little in common"))?;
        let base = index.start + found.base as u64;
        // The first record begins where the base begins, and may have no similar bytes to get elsewhere.
        if self.at.is_none() && base != 0 {
            self.to.write_all(&[0, 0])?;
            self.at = Some(0);
        }
        self.seek_to(base)?;
        let similar = found.new..found.new + found.similar;
        let new = piece.get(similar.clone()).unwrap_or_default();
        let base_bytes = index.bytes.get(found.base..).unwrap_or_default();
        self.differences.clear();
        self.differences.extend(new.iter().zip(base_bytes).map(|(new, base)| new.wrapping_sub(*base)));
        self.number(self.differences.len() as u64)?;
        self.to.write_all(&self.differences)?;
        let other = piece.get(similar.end..found.end).unwrap_or_default();
        self.number(other.len() as u64)?;
        self.to.write_all(other)?;
        self.at = Some(base + found.similar as u64);
        Ok(())
    }

    /// Ends the last record.
    pub(crate) fn end(mut self) -> io::Result<()> {
        self.at.map_or(Ok(()), |at| self.seek_to(at))
    }

    /// Ends the record before, if there is one.
    fn seek_to(&mut self, base: u64) -> io::Result<()> {
        let Some(at) = self.at else { return Ok(()) };
        let distance = base.cast_signed().wrapping_sub(at.cast_signed());
        // Numbers near zero are short, whatever their sign is.
        self.number(((distance << 1) ^ (distance >> 63)).cast_unsigned())
    }

    /// A number, seven bits in a byte, the lowest first.
    fn number(&mut self, mut number: u64) -> io::Result<()> {
        loop {
            let low = number.to_le_bytes()[0] & 0x7f;
            number >>= 7;
            if number == 0 {
                return self.to.write_all(&[low]);
            }
            self.to.write_all(&[low | 0x80])?;
        }
    }
}
