//! Making a file by a patch.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::path::Path;

use bipatch::DecodeError;
use brotli_decompressor::Decompressor;

use super::part::with_suffix;
use super::run::whole;
use super::{Digests, Download, Downloaded, Progress, Way};
use crate::blocking::blocking;
use crate::{Client, Error, Patch};

/// An unpacked patch has about as many bytes as the file that it makes, and this many more.
const MORE_BYTES: u64 = 1024 * 1024;
/// Bytes written at a time.
const CHUNK_SIZE: usize = 64 * 1024;

/// Why the whole file is needed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unusable {
    #[error("the answer of the check does not fit the expected file")]
    OtherFile,
    #[error("no base: {0}")]
    NoBase(io::Error),
    #[error("the base is another file")]
    OtherBase,
    #[error("the patch: {0}")]
    NoPatch(Error),
    #[error("the patch cannot be applied: {0}")]
    Broken(io::Error),
    #[error("the patch makes another file")]
    MadeOther,
    #[error("{path}: {source}")]
    File { path: String, source: io::Error },
}

impl Unusable {
    /// Whether somebody else is downloading the patch.
    pub(super) const fn is_busy(&self) -> bool {
        matches!(self, Self::NoPatch(Error::Busy { .. }))
    }

    fn at(path: &Path, source: io::Error) -> Self {
        Self::File { path: path.display().to_string(), source }
    }
}

/// Downloads the patch, applies it and verifies the result.
pub(super) async fn make(
    client: &Client,
    download: &Download,
    (patch, base): (&Patch, &Path),
    report: &mut (dyn FnMut(Progress) + Send),
) -> Result<Downloaded, Unusable> {
    if !download.expects(patch) {
        return Err(Unusable::OtherFile);
    }
    let is_base = Digests { sha256: Some(patch.base_sha256.clone()), ..Digests::default() };
    let path = base.to_owned();
    let verified = blocking(move || is_base.verify(&File::open(path)?)).await.map_err(Unusable::NoBase)?;
    verified.map_err(|_| Unusable::OtherBase)?;

    let of_patch = Download {
        url: patch.url.clone(),
        target: with_suffix(&download.target, ".patch"),
        identity: Some(format!("patch from {} to {}", patch.base_sha256, patch.file_sha256)),
        length: Some(patch.length),
        digests: Digests::default(),
        patch: None,
        ..download.clone()
    };
    let done = Box::pin(whole(client, &of_patch, report)).await.map_err(Unusable::NoPatch)?;
    let made = with_suffix(&download.target, ".patched");
    let applied = {
        let (work, expected) = ((base.to_owned(), done.path.clone(), made.clone()), download.made_by(patch));
        let length = patch.file_length;
        blocking(move || {
            Ok(apply(&work.0, &work.1, &work.2, length).and_then(|()| check(&work.2, &expected, length)))
        })
        .await
        .unwrap_or_else(|error| Err(Unusable::Broken(error)))
    };
    // Neither is of use any more: a patch that failed would fail again.
    let _ = tokio::fs::remove_file(&done.path).await;
    if let Err(why) = applied {
        let _ = tokio::fs::remove_file(&made).await;
        return Err(why);
    }
    let renamed = tokio::fs::rename(&made, &download.target).await;
    renamed.map_err(|error| Unusable::at(&download.target, error))?;
    let way = Way::Patched { saved: patch.file_length.saturating_sub(patch.length) };
    Ok(Downloaded { path: download.target.clone(), bytes: patch.file_length, way, ..done })
}

/// Deletes what is left of an unfinished download of a patch.
pub(super) async fn clear(download: &Download) {
    for suffix in [".patch.part", ".patch.part.json"] {
        // A file that stays is harmless: the next download of a patch takes it over.
        let _ = tokio::fs::remove_file(with_suffix(&download.target, suffix)).await;
    }
}

/// Applies a patch. Memory is bounded by the window of Brotli, 16 MiB, and the result by its length.
fn apply(base: &Path, patch: &Path, made: &Path, length: u64) -> Result<(), Unusable> {
    let open = |path: &Path| File::open(path).map_err(|error| Unusable::at(path, error));
    let unpacked = Decompressor::new(open(patch)?, CHUNK_SIZE);
    let unpacked = BufReader::new(unpacked.take(length.saturating_mul(2).saturating_add(MORE_BYTES)));
    let reader = bipatch::Reader::new(unpacked, BufReader::new(open(base)?));
    let reader = reader.map_err(|error| match error {
        DecodeError::IO(error) => Unusable::Broken(error),
        error => Unusable::Broken(io::Error::other(error)),
    })?;
    // One byte more than expected is enough to know that the file is another one.
    let mut reader = BufReader::with_capacity(CHUNK_SIZE, reader.take(length.saturating_add(1)));
    let written = |error| Unusable::at(made, error);
    let mut file = BufWriter::new(File::create(made).map_err(written)?);
    io::copy(&mut reader, &mut file).map_err(Unusable::Broken)?;
    file.flush().map_err(written)?;
    file.get_ref().sync_all().map_err(written)
}

/// Verifies the made file as it is on disk.
fn check(made: &Path, expected: &Digests, length: u64) -> Result<(), Unusable> {
    let failed = |error| Unusable::at(made, error);
    let file = File::open(made).map_err(failed)?;
    if file.metadata().map_err(failed)?.len() != length {
        return Err(Unusable::MadeOther);
    }
    expected.verify(&file).map_err(failed)?.map_err(|_| Unusable::MadeOther)
}

impl Download {
    /// Whether the file that a patch makes can be the expected one.
    fn expects(&self, patch: &Patch) -> bool {
        let is_other_digest = self.digests.sha256.as_ref().is_some_and(|digest| *digest != patch.file_sha256);
        let is_too_large = patch.file_length > self.limits.max_bytes;
        !is_other_digest && !is_too_large && self.length.is_none_or(|length| length == patch.file_length)
    }

    /// The digests of the file that a patch makes.
    fn made_by(&self, patch: &Patch) -> Digests {
        Digests { sha256: Some(patch.file_sha256.clone()), ..self.digests.clone() }
    }
}
