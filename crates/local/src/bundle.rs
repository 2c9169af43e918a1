//! A bundle: an application in one file. It is a compressed tar archive of the manifest, the components, their code
//! compiled for this system, and the configuration of the stores.
//!
//! The released program has a bundle inside, so it needs neither a checkout nor Rust. Because a bundle contains machine code,
//! it must be trusted like a program.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use base16ct::lower::encode_string as hex;
use clap::Args;
use embedded_host::{Manifest, Program, build};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::error::LocalError;

/// The bundle in this program. `build.rs` says how it gets there.
#[cfg(bundled)]
pub(crate) static INSIDE: Option<&[u8]> = Some(include_bytes!(env!("SPINDRIFT_BUNDLE_FILE")));
/// The bundle in this program.
#[cfg(not(bundled))]
pub(crate) static INSIDE: Option<&[u8]> = None;

/// Files in a bundle.
pub(crate) const MANIFEST: &str = "spin.toml";
const RUNTIME_CONFIG: &str = "runtime-config.toml";

/// The names of unpacked bundles begin with this.
const PREFIX: &str = "bundle-";
/// The ends of the names of folders that are being unpacked, or removed.
const DRAFT: &str = ".new";
const REMOVED: &str = "removed";
/// Bytes of a bundle's digest in the name of its folder.
const DIGEST_BYTES: usize = 16;

/// The arguments of `bundle`.
#[derive(Debug, Args)]
pub(crate) struct Bundle {
    /// Manifest of the application.
    #[arg(long, default_value = "deploy/fast/spin.toml", value_name = "FILE")]
    from: PathBuf,
    /// Configuration of its stores.
    #[arg(long, default_value = RUNTIME_CONFIG, value_name = "FILE")]
    runtime_config_file: PathBuf,
    /// Use the components as they are, without building them first.
    #[arg(long)]
    no_build: bool,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

impl Bundle {
    pub(crate) fn run(&self) -> Result<(), LocalError> {
        let manifest = Manifest::read(&self.from)?;
        if !self.no_build {
            build(&manifest)?;
        }
        let folder = TempDir::new().map_err(LocalError::file(&std::env::temp_dir()))?;
        let folder = folder.path();
        manifest.copy_with_components(&folder.join(MANIFEST))?;
        copy(&self.runtime_config_file, &folder.join(RUNTIME_CONFIG))?;
        // Its cache of compiled code is part of the bundle.
        Program::load(&folder.join(MANIFEST), folder)?;
        let draft = self.to.with_extension("new");
        pack(folder, &draft).map_err(LocalError::file(&draft))?;
        std::fs::rename(&draft, &self.to).map_err(LocalError::file(&self.to))
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), LocalError> {
    std::fs::copy(from, to).map(drop).map_err(LocalError::file(from))
}

fn pack(folder: &Path, to: &Path) -> io::Result<()> {
    let mut archive = tar::Builder::new(GzEncoder::new(File::create(to)?, Compression::best()));
    // The same files make the same bundle.
    archive.mode(tar::HeaderMode::Deterministic);
    let mut names: Vec<_> =
        folder.read_dir()?.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<_, _>>()?;
    names.sort();
    for name in names {
        archive.append_path_with_name(folder.join(&name), &name)?;
    }
    archive.into_inner()?.finish()?.sync_all()
}

/// Reads a bundle from a file.
pub(crate) fn read(file: &Path) -> Result<Vec<u8>, LocalError> {
    std::fs::read(file).map_err(LocalError::file(file))
}

/// Unpacks a bundle into a folder of its own in `cache`, unless it is there already. Removes the bundles of other versions.
/// Returns the folder.
pub(crate) fn unpack(bundle: &[u8], cache: &Path) -> Result<PathBuf, LocalError> {
    let name = format!("{PREFIX}{}", hex(&Sha256::digest(bundle)[..DIGEST_BYTES]));
    let folder = cache.join(&name);
    if !folder.is_dir() {
        // Renamed when it is whole. Another process may be doing the same.
        unpack_into(bundle, cache, &folder)
            .or_else(|error| if folder.is_dir() { Ok(()) } else { Err(error) })?;
    }
    remove_others(cache, &name);
    Ok(folder)
}

fn unpack_into(bundle: &[u8], cache: &Path, folder: &Path) -> Result<(), LocalError> {
    std::fs::create_dir_all(cache).map_err(LocalError::file(cache))?;
    let draft = tempfile::Builder::new().prefix(PREFIX).suffix(DRAFT).tempdir_in(cache);
    let draft = draft.map_err(LocalError::file(cache))?;
    tar::Archive::new(GzDecoder::new(bundle)).unpack(draft.path()).map_err(LocalError::Bundle)?;
    std::fs::rename(draft.path(), folder).map_err(LocalError::file(folder))
}

/// Removes the bundles of other versions, and drafts of processes that were killed, as far as possible: on Windows, a program
/// that runs keeps its own.
fn remove_others(cache: &Path, name: &str) {
    let entries = cache.read_dir().into_iter().flatten().flatten();
    for entry in entries {
        let other = entry.file_name();
        if other.to_str().is_some_and(|other| other.starts_with(PREFIX) && other != name) {
            // If this process is killed meanwhile, a part of a folder must not pass for a whole one.
            let removed = entry.path().with_extension(REMOVED);
            let _ = std::fs::rename(entry.path(), &removed).and_then(|()| std::fs::remove_dir_all(&removed));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle_of(text: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source");
        std::fs::create_dir(&source).unwrap();
        std::fs::write(source.join(MANIFEST), text).unwrap();
        let file = folder.path().join("app.bundle");
        pack(&source, &file).unwrap();
        read(&file).unwrap()
    }

    fn names(cache: &Path) -> Vec<PathBuf> {
        cache.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn the_same_files_make_the_same_bundle() {
        assert_eq!(bundle_of("a"), bundle_of("a"));
    }

    #[test]
    fn a_bundle_is_unpacked_once_and_replaces_the_one_before() {
        let cache = tempfile::tempdir().unwrap();
        let old = unpack(&bundle_of("old"), cache.path()).unwrap();
        std::fs::write(old.join("compiled"), "").unwrap();
        assert_eq!(unpack(&bundle_of("old"), cache.path()).unwrap(), old);
        assert!(old.join("compiled").exists(), "not unpacked again");

        for left in ["bundle-a.new", "bundle-b.removed"] {
            std::fs::create_dir(cache.path().join(left)).unwrap();
        }
        let new = unpack(&bundle_of("new"), cache.path()).unwrap();
        assert_eq!(std::fs::read_to_string(new.join(MANIFEST)).unwrap(), "new");
        assert_eq!(names(cache.path()), [new]);
    }

    #[test]
    fn other_bytes_are_refused_and_leave_nothing() {
        let cache = tempfile::tempdir().unwrap();
        let error = unpack(b"no bundle", cache.path()).unwrap_err();
        assert!(error.to_string().contains("not a bundle"), "{error}");
        assert!(names(cache.path()).is_empty());
    }
}
