//! Digests, computed independently of the service's code.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest as _, Md5};
use sha1::Sha1;
use sha2::{Sha256, Sha512};

/// In lower case.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// MD5 in the form of manifests.
pub fn md5_hex(bytes: &[u8]) -> String {
    hex(&Md5::digest(bytes))
}

/// MD5 in the form of `Content-MD5`.
pub fn md5_base64(bytes: &[u8]) -> String {
    STANDARD.encode(Md5::digest(bytes))
}

/// SHA-1 in the form of `RELEASES`: in upper case.
pub fn sha1_hex(bytes: &[u8]) -> String {
    hex(&Sha1::digest(bytes)).to_ascii_uppercase()
}

/// SHA-512 in the form of electron-builder.
pub fn sha512_base64(bytes: &[u8]) -> String {
    STANDARD.encode(Sha512::digest(bytes))
}

/// SHA-256 in the form of manifests.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// SHA-512 in the form of manifests.
pub fn sha512_hex(bytes: &[u8]) -> String {
    hex(&Sha512::digest(bytes))
}

/// The rollout bucket of a device: the first 8 bytes, big-endian, of SHA-256(`device:seed`), modulo 100.
pub fn bucket(device: &str, seed: &str) -> u64 {
    let digest = Sha256::digest(format!("{device}:{seed}"));
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    u64::from_be_bytes(first) % 100
}
