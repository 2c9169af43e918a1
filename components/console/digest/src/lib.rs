//! MD5, SHA-256 and SHA-512 of a file, computed in the browser with the same libraries as in the
//! service.
//!
//! A script writes a slice of the file at [`buffer`] and calls [`update`] until the file ends;
//! [`finish`] writes the digests to the buffer. An instance hashes one file at a time, in a fixed
//! amount of memory.
//!
//! The browser's own digest functions need the whole file in memory, and lack MD5. `cargo xtask
//! modules` builds the module, which is committed. Its four functions only exchange numbers, so it
//! does not need `wasm-bindgen`.
#![expect(unsafe_code, reason = "exported functions keep their names")]

use std::cell::RefCell;

use md5::{Digest as _, Md5};
use sha2::{Sha256, Sha512};

/// Maximum length of a slice, in bytes: little memory, and few calls.
const BUFFER_BYTES: usize = 4 * 1024 * 1024;

struct Hashing {
    buffer: Vec<u8>,
    md5: Md5,
    sha256: Sha256,
    sha512: Sha512,
}

impl Hashing {
    fn new() -> Self {
        Self { buffer: vec![0; BUFFER_BYTES], md5: Md5::new(), sha256: Sha256::new(), sha512: Sha512::new() }
    }

    fn update(&mut self, length: usize) {
        let slice = self.buffer.get(..length).unwrap_or(&self.buffer);
        self.md5.update(slice);
        self.sha256.update(slice);
        self.sha512.update(slice);
    }

    /// Writes the digests to the buffer, and starts over.
    fn finish(&mut self) -> usize {
        let digests = [
            self.md5.finalize_reset().to_vec(),
            self.sha256.finalize_reset().to_vec(),
            self.sha512.finalize_reset().to_vec(),
        ]
        .concat();
        self.buffer.iter_mut().zip(&digests).for_each(|(to, from)| *to = *from);
        digests.len()
    }
}

thread_local! {
    static HASHING: RefCell<Hashing> = RefCell::new(Hashing::new());
}

/// The address of slices and digests.
#[unsafe(no_mangle)]
pub extern "C" fn buffer() -> *mut u8 {
    HASHING.with_borrow_mut(|hashing| hashing.buffer.as_mut_ptr())
}

/// The maximum length of a slice, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn capacity() -> usize {
    BUFFER_BYTES
}

/// Adds the first `length` bytes of the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn update(length: usize) {
    HASHING.with_borrow_mut(|hashing| hashing.update(length));
}

/// Writes MD5 (16 bytes), SHA-256 (32) and SHA-512 (64) to the buffer, and returns their total
/// length. The next slice starts another file.
#[unsafe(no_mangle)]
pub extern "C" fn finish() -> usize {
    HASHING.with_borrow_mut(Hashing::finish)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `printf abc | md5sum`, `sha256sum` and `sha512sum`.
    const ABC: &str = "900150983cd24fb0d6963f7d28e17f72\
        ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\
        ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
        2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";

    #[test]
    fn slices_are_hashed_as_one_file_and_files_apart() {
        let mut hashing = Hashing::new();
        for _ in 0..2 {
            for byte in b"abc" {
                hashing.buffer[0] = *byte;
                hashing.update(1);
            }
            let length = hashing.finish();
            let expected: Vec<u8> =
                (0..length).map(|i| u8::from_str_radix(&ABC[2 * i..2 * i + 2], 16).unwrap()).collect();
            assert_eq!(hashing.buffer[..length], expected);
            assert_eq!(2 * length, ABC.len());
        }
    }

    #[test]
    fn a_length_beyond_the_buffer_is_the_whole_buffer() {
        let (mut long, mut whole) = (Hashing::new(), Hashing::new());
        long.update(usize::MAX);
        whole.update(BUFFER_BYTES);
        assert_eq!(long.md5.finalize(), whole.md5.finalize());
    }
}
