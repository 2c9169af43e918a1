//! Patches for Squirrel.Mac, made by Sparkle's BinaryDelta. It compares two applications, so the archives are unpacked first.

use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use base16ct::lower::encode_string as hex;
use sha2::{Digest as _, Sha256};

use super::diff::Diff;

/// Comes with [Sparkle](https://sparkle-project.org).
const PROGRAM: &str = "BinaryDelta";
/// A part of macOS. It keeps links, rights and everything else that the signature of an application covers.
const UNPACKER: &str = "ditto";

/// Whether the program is on this machine.
pub(super) fn is_there() -> bool {
    Command::new(PROGRAM).arg("version").output().is_ok()
}

/// Writes the patch that makes the application in `new` from the one in `base`. Both are archives. Blocks.
pub(super) fn make(base: &Path, new: &Path, patch: &Path) -> io::Result<Diff> {
    let folder = tempfile::tempdir()?;
    let unpacked = |archive: &Path, name: &str| application(archive, &folder.path().join(name));
    let (old, new) = (unpacked(base, "old")?, unpacked(new, "new")?);
    run(Command::new(PROGRAM).arg("create").args([&old, &new]).arg(patch))?;
    Ok(Diff { length: patch.metadata()?.len(), base_sha256: hex(&Sha256::digest(std::fs::read(base)?)) })
}

/// Unpacks an archive into a new folder, and finds the application in it.
fn application(archive: &Path, folder: &Path) -> io::Result<PathBuf> {
    DirBuilder::new().create(folder)?;
    run(Command::new(UNPACKER).args(["-x", "-k"]).args([archive, folder]))?;
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "app") {
            return Ok(path);
        }
    }
    Err(io::Error::other("the archive has no application (.app)"))
}

fn run(command: &mut Command) -> io::Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command.output().map_err(|error| io::Error::other(format!("{program}: {error}")))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let last = said.trim().lines().last().unwrap_or_default();
    Err(io::Error::other(format!("{program} failed: {last}")))
}
