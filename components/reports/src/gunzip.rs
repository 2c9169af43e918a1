//! Decompression of one [gzip](https://www.rfc-editor.org/rfc/rfc1952) member with a hard limit.

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

/// Bytes decompressed at a time.
const CHUNK: usize = 32 * 1024;
/// Bytes after the compressed data: CRC-32 and length.
const TRAILER: usize = 8;

const FLAG_HEADER_CRC: u8 = 1 << 1;
const FLAG_EXTRA: u8 = 1 << 2;
const FLAG_NAME: u8 = 1 << 3;
const FLAG_COMMENT: u8 = 1 << 4;
const RESERVED_FLAGS: u8 = 0b1110_0000;

/// Why decompression failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GunzipError {
    /// Not one complete gzip member, or its trailer does not match.
    Invalid,
    /// The result is larger than the limit.
    TooLarge,
}

/// Decompresses `bytes` to at most `limit` bytes. The declared length is only checked at the end. At no time are more
/// than the limit and one chunk held in memory.
pub(crate) fn gunzip(bytes: &[u8], limit: usize) -> Result<Vec<u8>, GunzipError> {
    let packed = skip_header(bytes).ok_or(GunzipError::Invalid)?;
    let (unpacked, used) = inflate_all(packed, limit)?;
    let trailer = packed.get(used..).and_then(|rest| <[u8; TRAILER]>::try_from(rest).ok());
    let [c0, c1, c2, c3, l0, l1, l2, l3] = trailer.ok_or(GunzipError::Invalid)?;
    let crc = u32::from_le_bytes([c0, c1, c2, c3]);
    let length = u32::from_le_bytes([l0, l1, l2, l3]);
    // The length is modulo 2^32. So is ours, because the limit is lower.
    if crc == crc32fast::hash(&unpacked) && u32::try_from(unpacked.len()) == Ok(length) {
        Ok(unpacked)
    } else {
        Err(GunzipError::Invalid)
    }
}

/// The bytes after the header. `None`: there is no valid header.
fn skip_header(bytes: &[u8]) -> Option<&[u8]> {
    let (head, mut rest) = bytes.split_at_checked(10)?;
    let flags = *head.get(3)?;
    if !head.starts_with(&[0x1f, 0x8b, 8]) || flags & RESERVED_FLAGS != 0 {
        return None;
    }
    if flags & FLAG_EXTRA != 0 {
        let (length, tail) = rest.split_first_chunk::<2>()?;
        rest = tail.get(usize::from(u16::from_le_bytes(*length))..)?;
    }
    for flag in [FLAG_NAME, FLAG_COMMENT] {
        if flags & flag != 0 {
            let end = rest.iter().position(|&b| b == 0)?;
            rest = rest.get(end + 1..)?;
        }
    }
    if flags & FLAG_HEADER_CRC != 0 {
        let (sum, tail) = rest.split_first_chunk::<2>()?;
        let header = bytes.get(..bytes.len() - rest.len())?;
        if crc32fast::hash(header) & 0xffff != u32::from(u16::from_le_bytes(*sum)) {
            return None;
        }
        rest = tail;
    }
    Some(rest)
}

/// The decompressed bytes, and the number of compressed bytes read.
fn inflate_all(packed: &[u8], limit: usize) -> Result<(Vec<u8>, usize), GunzipError> {
    let mut state = InflateState::new_boxed(DataFormat::Raw);
    let mut chunk = vec![0; CHUNK];
    let (mut unpacked, mut used) = (Vec::new(), 0);
    loop {
        let rest = packed.get(used..).unwrap_or_default();
        let step = inflate(&mut state, rest, &mut chunk, MZFlush::None);
        used += step.bytes_consumed;
        let new = chunk.get(..step.bytes_written).unwrap_or_default();
        append(&mut unpacked, new, limit)?;
        match step.status {
            Ok(MZStatus::StreamEnd) => return Ok((unpacked, used)),
            Ok(_) | Err(MZError::Buf) if step.bytes_consumed + step.bytes_written > 0 => {}
            // No progress: the data is cut off or invalid.
            _ => return Err(GunzipError::Invalid),
        }
    }
}

/// Grows like a vector, but never beyond the limit.
fn append(to: &mut Vec<u8>, new: &[u8], limit: usize) -> Result<(), GunzipError> {
    let needed = to.len() + new.len();
    if needed > limit {
        return Err(GunzipError::TooLarge);
    }
    if needed > to.capacity() {
        let capacity = to.capacity().saturating_mul(2).clamp(needed, limit);
        to.reserve_exact(capacity - to.len());
    }
    to.extend_from_slice(new);
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
