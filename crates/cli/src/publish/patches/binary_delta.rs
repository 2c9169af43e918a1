//! Patches for Squirrel.Mac, made by Sparkle's BinaryDelta. It compares applications, so the
//! archives are unpacked first.

use std::fs::DirBuilder;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use spindrift_patch::{Stopped, Watch as _};

use super::comparison::Comparison;
use super::diff::{Diff, sha256};

/// Part of [Sparkle](https://sparkle-project.org).
const PROGRAM: &str = "BinaryDelta";
/// Part of macOS. It preserves links, permissions and everything else that an application's
/// signature covers.
const UNPACKER: &str = "ditto";
/// Interval for checking whether a program has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Maximum number of bytes to read of a program's output.
const MAX_SAID_BYTES: u64 = 64 * 1024;

/// Whether this machine has the program.
pub(super) fn is_there() -> bool {
    Command::new(PROGRAM).arg("version").output().is_ok()
}

/// Writes the patch from the application in `base` to the one in `new`. Both are archives. Blocks.
pub(super) fn make(base: &Path, new: &Path, patch: &Path, comparison: &Comparison) -> io::Result<Diff> {
    let folder = tempfile::tempdir()?;
    let unpacked = |archive: &Path, name: &str| application(archive, &folder.path().join(name), comparison);
    let (old, new) = (unpacked(base, "old")?, unpacked(new, "new")?);
    run(Command::new(PROGRAM).arg("create").args([&old, &new]).arg(patch), comparison)?;
    Ok(Diff { length: patch.metadata()?.len(), base_sha256: sha256(base)? })
}

/// Unpacks an archive into a new folder, and finds the application in it.
fn application(archive: &Path, folder: &Path, comparison: &Comparison) -> io::Result<PathBuf> {
    DirBuilder::new().create(folder)?;
    run(Command::new(UNPACKER).args(["-x", "-k"]).args([archive, folder]), comparison)?;
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "app") {
            return Ok(path);
        }
    }
    Err(io::Error::other("the archive has no application (.app)"))
}

/// Runs a program. Kills it when the time for patches is over.
fn run(command: &mut Command, comparison: &Comparison) -> io::Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |error: io::Error| io::Error::other(format!("{program}: {error}"));
    // A program that writes much to a pipe would block until it is read, so use a file.
    let mut said = tempfile::tempfile()?;
    let (no_input, no_output) = (Stdio::null(), Stdio::null());
    command.stdin(no_input).stdout(no_output).stderr(said.try_clone()?);
    let mut running = command.spawn().map_err(failed)?;
    let done = loop {
        if let Some(status) = running.try_wait().map_err(failed)? {
            break status;
        }
        if !comparison.may_continue() {
            running.kill().and_then(|()| running.wait()).map_err(failed)?;
            return Err(Stopped.into());
        }
        std::thread::sleep(LOOK_EVERY);
    };
    if done.success() {
        return Ok(());
    }
    let mut text = Vec::new();
    said.rewind()?;
    said.take(MAX_SAID_BYTES).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let last = text.trim().lines().last().unwrap_or_default();
    Err(io::Error::other(format!("{program} failed: {last}")))
}
