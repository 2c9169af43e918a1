use miniz_oxide::deflate::compress_to_vec;

use super::*;

/// A size at which decoders often change buffers.
const CHUNK: usize = 32 * 1024;

const FLAG_HEADER_CRC: u8 = 1 << 1;
const FLAG_EXTRA: u8 = 1 << 2;
const FLAG_NAME: u8 = 1 << 3;
const FLAG_COMMENT: u8 = 1 << 4;

/// Compresses with a header without optional fields.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    with_header(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255], bytes)
}

fn with_header(header: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut packed = header.to_vec();
    packed.extend(compress_to_vec(bytes, 6));
    packed.extend(crc32fast::hash(bytes).to_le_bytes());
    packed.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
    packed
}

#[test]
fn compression_round_trips() {
    for size in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 7] {
        let bytes: Vec<u8> = (0..size).map(|n| u8::try_from(n * n % 251).unwrap()).collect();
        let packed = gzip(&bytes);
        assert_eq!(gunzip(&packed, size), Ok(bytes), "{size}");
        if size > 0 {
            assert_eq!(gunzip(&packed, size - 1), Err(GunzipError::TooLarge), "{size}");
        }
    }
}

/// `printf '{"a":1}' | gzip -9n`.
#[test]
fn the_output_of_gzip_is_read() {
    let packed = [
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xab, 0x56, 0x4a, 0x54, 0xb2, 0x32, 0xac,
        0x05, 0x00, 0xaf, 0xac, 0x1b, 0x56, 0x07, 0x00, 0x00, 0x00,
    ];
    assert_eq!(gunzip(&packed, 100).as_deref(), Ok(&br#"{"a":1}"#[..]));
}

#[test]
fn headers_with_options() {
    let mut header =
        vec![0x1f, 0x8b, 8, FLAG_EXTRA | FLAG_NAME | FLAG_COMMENT | FLAG_HEADER_CRC, 0, 0, 0, 0, 0, 3];
    header.extend([3, 0, 1, 2, 3]);
    header.extend(b"name\0comment\0");
    let sum = crc32fast::hash(&header).to_le_bytes();
    let good = [&header[..], &sum[..2]].concat();
    assert_eq!(gunzip(&with_header(&good, b"x"), 9).as_deref(), Ok(&b"x"[..]));
    let bad = [&header[..], &[sum[0], sum[1] ^ 1]].concat();
    assert_eq!(gunzip(&with_header(&bad, b"x"), 9), Err(GunzipError::Invalid));
}

#[test]
fn every_cut_and_every_flipped_byte_is_noticed() {
    let packed = gzip(b"{\"message\":\"hello hello hello\"}");
    for length in 0..packed.len() {
        assert_eq!(gunzip(&packed[..length], 100), Err(GunzipError::Invalid), "{length}");
    }
    // Header bytes that are ignored: time, extra flags, system.
    for index in (0..packed.len()).filter(|index| !(4..10).contains(index)) {
        let mut broken = packed.clone();
        broken[index] ^= 0xff;
        assert!(gunzip(&broken, 100).is_err(), "{index}");
    }
    assert_eq!(gunzip(&[packed.clone(), packed].concat(), 100), Err(GunzipError::Invalid));
}

/// The data expands a thousandfold, the most that the format allows. It is refused after the first bytes over
/// the limit.
#[test]
fn a_bomb_is_given_up_early() {
    let bomb = gzip(&vec![0; 32 << 20]);
    assert!(bomb.len() < 34 << 10);
    let started = std::time::Instant::now();
    assert_eq!(gunzip(&bomb, 1 << 20), Err(GunzipError::TooLarge));
    assert!(started.elapsed() < std::time::Duration::from_millis(500), "{:?}", started.elapsed());
}
