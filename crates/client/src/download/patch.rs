//! Makes a file with a patch.

mod apply;
mod failure_note;
mod patched_file;
mod stop;
mod unusable;

use std::fs::File;
use std::path::Path;

use self::patched_file::PatchedFile;
use self::stop::{Stop, WorkGuard};
use self::unusable::Unusable;
use super::partial_file::{PartialFile, with_suffix};
use super::run::download_verified;
use super::{Digests, Download, Downloaded, Progress, Way};
use crate::blocking::blocking;
use crate::{Client, Patch};

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
    if patch.length >= patch.file_length {
        return Err(Unusable::TooLarge);
    }
    let note = failure_note::FailureNote::of(&download.target, patch);
    if note.is_there().await {
        return Err(Unusable::FailedBefore);
    }
    let done = try_to_make(client, download, (patch, base), report).await;
    match &done {
        Ok(_) => note.remove().await,
        Err(why) if why.is_lasting() => note.write().await,
        Err(_) => {}
    }
    done
}

async fn try_to_make(
    client: &Client,
    download: &Download,
    (patch, base): (&Patch, &Path),
    report: &mut (dyn FnMut(Progress) + Send),
) -> Result<Downloaded, Unusable> {
    let (running, stop) = WorkGuard::start(download.limits.max_patch_time);
    let base = verified_base(patch, base, stop).await?;
    let of_patch =
        download_verified(client, &download.of_patch(patch), report).await.map_err(Unusable::NoPatch)?;
    let resumed_at = of_patch.resumed_at();
    // The time limit covers the work on this machine, not the download.
    let applied = match of_patch.for_reading().await {
        Ok(file) => apply(download, patch, (base, file), running.limit(download.limits.max_patch_time)).await,
        Err(error) => Err(Unusable::NoPatch(error)),
    };
    // It is no longer needed: a patch that failed would fail again.
    let _ = PartialFile::remove(of_patch).await;
    let patched = applied?;
    let target = download.target.clone();
    let renamed = blocking(move || patched.publish(&target)).await;
    renamed.map_err(|error| Unusable::at(&download.target, error))?;
    let way = Way::Patched { saved: patch.file_length.saturating_sub(patch.length) };
    Ok(Downloaded { path: download.target.clone(), bytes: patch.file_length, resumed_at, way })
}

/// The base, opened only once, so that the same file is verified and applied.
async fn verified_base(patch: &Patch, base: &Path, stop: Stop) -> Result<File, Unusable> {
    let expected = Digests { sha256: Some(patch.base_sha256.clone()), ..Digests::default() };
    let path = base.to_owned();
    let opened = blocking(move || {
        let file = File::open(path)?;
        let verified = expected.verify_while(&file, || stop.check())?;
        Ok(verified.map(|()| file))
    });
    opened.await.map_err(Unusable::NoBase)?.map_err(|_| Unusable::OtherBase)
}

/// Applies the patch to the base, and verifies the result as it is on disk.
async fn apply(
    download: &Download,
    patch: &Patch,
    (base, file): (File, File),
    stop: Stop,
) -> Result<PatchedFile, Unusable> {
    let (target, expected, length) =
        (download.target.clone(), download.patched_digests(patch), patch.file_length);
    let applied = blocking(move || {
        let patched = match PatchedFile::new(&target) {
            Ok(patched) => patched,
            Err(error) => return Ok(Err(Unusable::at(&target, error))),
        };
        let applied = apply::apply(&base, &file, &patched, length, &stop);
        Ok(applied.and_then(|()| check(&patched, &expected, length, &stop)).map(|()| patched))
    });
    applied.await.unwrap_or_else(|error| Err(Unusable::Broken(error)))
}

/// Deletes what is left of an unfinished download of a patch.
pub(super) async fn clear(download: &Download) {
    for suffix in [".patch.part", ".patch.part.json"] {
        // A remaining file is harmless: the next download of a patch reuses it.
        let _ = tokio::fs::remove_file(with_suffix(&download.target, suffix)).await;
    }
}

/// Verifies the patched file as it is on disk.
fn check(patched: &PatchedFile, expected: &Digests, length: u64, stop: &Stop) -> Result<(), Unusable> {
    let failed = |error| Unusable::at(patched.path(), error);
    if patched.file().metadata().map_err(failed)?.len() != length {
        return Err(Unusable::MadeOther);
    }
    let verified = expected.verify_while(patched.file(), || stop.check());
    verified.map_err(Unusable::Broken)?.map_err(|_| Unusable::MadeOther)
}

impl Download {
    /// The download of a patch. It is compared with its digest before anything is made of it.
    fn of_patch(&self, patch: &Patch) -> Self {
        Self {
            url: patch.url.clone(),
            target: with_suffix(&self.target, ".patch"),
            identity: Some(format!("patch {}", patch.sha256)),
            length: Some(patch.length),
            digests: Digests { sha256: Some(patch.sha256.clone()), ..Digests::default() },
            patch: None,
            ..self.clone()
        }
    }

    /// Whether the file that a patch makes can be the expected one.
    fn expects(&self, patch: &Patch) -> bool {
        let is_other_digest = self.digests.sha256.as_ref().is_some_and(|digest| *digest != patch.file_sha256);
        let is_too_large = patch.file_length > self.limits.max_bytes;
        !is_other_digest && !is_too_large && self.length.is_none_or(|length| length == patch.file_length)
    }

    /// The digests of the file that a patch makes.
    fn patched_digests(&self, patch: &Patch) -> Digests {
        Digests { sha256: Some(patch.file_sha256.clone()), ..self.digests.clone() }
    }
}
