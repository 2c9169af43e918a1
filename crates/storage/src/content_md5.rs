//! The digest that the content of a write must have.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use md5::{Digest as _, Md5};

pub(crate) fn digest(body: &Bytes) -> [u8; 16] {
    Md5::digest(body).into()
}

/// The value of the header `Content-MD5` (RFC 1864).
pub(crate) fn content_md5(digest: &[u8; 16]) -> String {
    STANDARD.encode(digest)
}
