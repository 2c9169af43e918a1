//! Compressed bytes, like those in failure reports.

/// One gzip member with these bytes.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    packed.extend(miniz_oxide::deflate::compress_to_vec(bytes, 6));
    packed.extend(crc32fast::hash(bytes).to_le_bytes());
    // The length modulo 2^32.
    packed.extend(bytes.len().to_le_bytes().into_iter().take(4));
    packed
}
