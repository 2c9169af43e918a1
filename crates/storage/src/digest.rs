//! Digests of files, computed while the bytes stream through.

use std::collections::BTreeMap;

use base16ct::lower::encode_string as hex;
use futures::TryStreamExt as _;
use md5::Md5;
use sha1::Sha1;
use sha2::digest::DynDigest;
use sha2::{Digest as _, Sha256, Sha512};

use crate::{ByteStream, StorageError};

/// A hash function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Algorithm {
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

impl Algorithm {
    fn hasher(self) -> Box<dyn DynDigest> {
        match self {
            Self::Md5 => Box::new(Md5::new()),
            Self::Sha1 => Box::new(Sha1::new()),
            Self::Sha256 => Box::new(Sha256::new()),
            Self::Sha512 => Box::new(Sha512::new()),
        }
    }
}

/// Computes the size and digests of bytes that arrive in pieces.
pub struct Digester {
    size: u64,
    hashers: BTreeMap<Algorithm, Box<dyn DynDigest>>,
}

impl Digester {
    /// Computes only the given digests.
    pub fn new(algorithms: impl IntoIterator<Item = Algorithm>) -> Self {
        let hashers = algorithms.into_iter().map(|algorithm| (algorithm, algorithm.hasher())).collect();
        Self { size: 0, hashers }
    }

    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.hashers.values_mut().for_each(|hasher| hasher.update(bytes));
    }

    /// The number of bytes.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The digests of all bytes.
    pub fn finish(self) -> FileDigests {
        let digests =
            self.hashers.into_iter().map(|(algorithm, hasher)| (algorithm, hex(&hasher.finalize())));
        FileDigests { size: self.size, digests: digests.collect() }
    }
}

/// The size and digests of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDigests {
    /// In bytes.
    pub size: u64,
    digests: BTreeMap<Algorithm, String>,
}

impl FileDigests {
    /// Reads a file to its end, and computes only the given digests.
    pub async fn read(
        mut file: ByteStream,
        algorithms: impl IntoIterator<Item = Algorithm>,
    ) -> Result<Self, StorageError> {
        let mut digester = Digester::new(algorithms);
        let broken = |error: std::io::Error| StorageError::Unreachable(error.to_string());
        while let Some(chunk) = file.try_next().await.map_err(broken)? {
            digester.update(&chunk);
        }
        Ok(digester.finish())
    }

    /// A digest in lower-case hex. `None` if it was not computed.
    pub fn get(&self, algorithm: Algorithm) -> Option<&str> {
        self.digests.get(&algorithm).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_digests_are_computed() {
        let mut digester = Digester::new([Algorithm::Sha1, Algorithm::Md5, Algorithm::Md5]);
        digester.update(b"a");
        digester.update(b"bc");
        assert_eq!(digester.size(), 3);
        let digests = digester.finish();
        for (algorithm, digest) in [
            (Algorithm::Md5, Some("900150983cd24fb0d6963f7d28e17f72")),
            (Algorithm::Sha1, Some("a9993e364706816aba3e25717850c26c9cd0d89d")),
            (Algorithm::Sha256, None),
            (Algorithm::Sha512, None),
        ] {
            assert_eq!(digests.get(algorithm), digest, "{algorithm:?}");
        }
        assert_eq!(digests.size, 3);
    }
}
