//! Digests of a file.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};

use base16ct::lower::encode_string as hex;
use md5::Md5;
use sha2::{Digest, Sha256, Sha512};

use super::Digests;
use crate::Error;
#[cfg(feature = "trust")]
use crate::blocking::blocking;

/// Bytes read at a time.
const CHUNK_SIZE: usize = 64 * 1024;

/// A wrong digest and the expected one, both lower-case hexadecimal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) algorithm: &'static str,
    pub(super) expected: String,
    pub(super) actual: String,
}

#[cfg(feature = "trust")]
impl super::Download {
    /// Checks that the target, which somebody else has put there, is the file to download.
    ///
    /// # Errors
    ///
    /// [`Error::WrongLength`], [`Error::WrongDigest`] and [`Error::File`].
    pub(crate) async fn verify_target(&self) -> Result<(), Error> {
        let (path, digests) = (self.target.clone(), self.digests.clone());
        let length = self.length;
        let verified = blocking(move || {
            let file = File::open(path)?;
            let actual = file.metadata()?.len();
            if let Some(expected) = length.filter(|expected| *expected != actual) {
                return Ok(Err(Error::WrongLength { expected, actual }));
            }
            Ok(digests.verify(&file)?.map_err(Error::from))
        });
        verified.await.map_err(|source| Error::File { path: self.target.clone(), source })?
    }
}

impl From<Mismatch> for Error {
    fn from(mismatch: Mismatch) -> Self {
        let Mismatch { algorithm, expected, actual } = mismatch;
        Self::WrongDigest { algorithm, expected, actual }
    }
}

impl Digests {
    pub(super) const fn is_empty(&self) -> bool {
        self.sha256.is_none() && self.sha512.is_none() && self.md5.is_none()
    }

    /// Reads the file once from the beginning and compares the expected digests. Blocks.
    pub(super) fn verify(&self, file: &File) -> io::Result<Result<(), Mismatch>> {
        self.verify_while(file, || Ok(()))
    }

    /// Like [`Self::verify`], but stops when `may_go_on` returns an error.
    pub(super) fn verify_while(
        &self,
        mut file: &File,
        may_go_on: impl Fn() -> io::Result<()>,
    ) -> io::Result<Result<(), Mismatch>> {
        let mut sha256 = self.sha256.as_ref().map(|_| Sha256::new());
        let mut sha512 = self.sha512.as_ref().map(|_| Sha512::new());
        let mut md5 = self.md5.as_ref().map(|_| Md5::new());
        if self.is_empty() {
            return Ok(Ok(()));
        }
        file.rewind()?;
        let mut chunk = vec![0; CHUNK_SIZE];
        loop {
            may_go_on()?;
            let length = match file.read(&mut chunk) {
                Ok(0) => break,
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let read = chunk.get(..length).unwrap_or_default();
            update(sha256.as_mut(), read);
            update(sha512.as_mut(), read);
            update(md5.as_mut(), read);
        }
        let expected = self.sha256.as_ref().map(ToString::to_string);
        let first = compare("sha256", expected, sha256);
        let expected = self.sha512.as_ref().map(ToString::to_string);
        let second = compare("sha512", expected, sha512);
        let expected = self.md5.as_ref().map(ToString::to_string);
        let third = compare("md5", expected, md5);
        Ok(first.and(second).and(third))
    }
}

fn update(digest: Option<&mut impl Digest>, bytes: &[u8]) {
    if let Some(digest) = digest {
        digest.update(bytes);
    }
}

fn compare(
    algorithm: &'static str,
    expected: Option<String>,
    digest: Option<impl Digest>,
) -> Result<(), Mismatch> {
    let (Some(expected), Some(digest)) = (expected, digest) else { return Ok(()) };
    let actual = hex(&digest.finalize());
    if actual == expected { Ok(()) } else { Err(Mismatch { algorithm, expected, actual }) }
}
