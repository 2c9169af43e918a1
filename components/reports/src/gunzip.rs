//! Decompression of one [gzip](https://www.rfc-editor.org/rfc/rfc1952) member with a hard limit.

use std::io::Read as _;

use flate2::bufread::GzDecoder;

/// Why decompression failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GunzipError {
    /// Not one complete gzip member, or its trailer does not match.
    Invalid,
    /// The result is larger than the limit.
    TooLarge,
}

/// Decompresses `bytes` to at most `limit` bytes, and stops at the first byte above that.
pub(crate) fn gunzip(bytes: &[u8], limit: usize) -> Result<Vec<u8>, GunzipError> {
    let limit_and_one = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut decoder = GzDecoder::new(bytes);
    let mut unpacked = Vec::new();
    // The trailer is compared only at the end, which a result of exactly the limit reaches too.
    let read = decoder.by_ref().take(limit_and_one).read_to_end(&mut unpacked);
    if unpacked.len() > limit {
        return Err(GunzipError::TooLarge);
    }
    match read {
        Ok(_) if decoder.into_inner().is_empty() => Ok(unpacked),
        _ => Err(GunzipError::Invalid),
    }
}

#[cfg(test)]
pub(crate) mod tests;
