//! Large files that need not be stored: they have the same bytes at every read.

use std::io::Read;

use md5::{Digest as _, Md5};

/// Incompressible bytes from a seed.
#[derive(Debug, Clone)]
pub struct Noise {
    state: u64,
    left: u64,
}

impl Noise {
    /// `length` bytes.
    pub fn new(seed: u64, length: u64) -> Self {
        Self { state: seed | 1, left: length }
    }

    /// A number below `limit`, for random moments.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    /// [Xorshift](https://www.jstatsoft.org/article/view/v008i14).
    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    /// The MD5 of all bytes.
    pub fn md5(&self) -> [u8; 16] {
        let mut digest = Md5::new();
        self.clone().for_each_chunk(|chunk| digest.update(chunk));
        digest.finalize().into()
    }

    /// Whether `reader` returns exactly these bytes.
    pub fn is_read_from(&self, mut reader: impl Read) -> bool {
        let mut buffer = vec![0; CHUNK];
        let mut equal = true;
        self.clone().for_each_chunk(|chunk| {
            let read = &mut buffer[..chunk.len()];
            equal = equal && reader.read_exact(read).is_ok() && read == chunk;
        });
        equal && reader.read(&mut buffer).is_ok_and(|length| length == 0)
    }

    fn for_each_chunk(mut self, mut each: impl FnMut(&[u8])) {
        let mut chunk = vec![0; CHUNK];
        while let Ok(length @ 1..) = self.read(&mut chunk) {
            each(&chunk[..length]);
        }
    }
}

/// Bytes per read. A multiple of 8, so that all readers get the same bytes.
const CHUNK: usize = 64 * 1024;

impl Read for Noise {
    /// Readers with buffers of a multiple of 8 bytes get the same bytes.
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let room = u64::try_from(buffer.len() - buffer.len() % 8).expect("a length");
        let length = usize::try_from(room.min(self.left)).expect("a length");
        for word in buffer[..length].chunks_mut(8) {
            let bytes = self.next().to_le_bytes();
            word.copy_from_slice(&bytes[..word.len()]);
        }
        self.left -= u64::try_from(length).expect("a length");
        Ok(length)
    }
}
