//! Files with private keys. Only their owner may be able to read them.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::Path;

use zeroize::Zeroizing;

use crate::error::CliError;

/// Maximum size of a file with a key, in bytes. An encrypted key has about 500.
const MAX_BYTES: u64 = 16 * 1024;

/// Writes a new file that only its owner can read. Fails if the file exists, because it could be
/// the only copy of a key.
pub(crate) fn create_private(path: &Path, text: &str) -> Result<(), CliError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => CliError::Conflict(format!(
            "{} already exists, and keys are not overwritten: choose another name, or move it away",
            path.display()
        )),
        _ => CliError::file(path)(error),
    })?;
    file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(CliError::file(path))
}

/// Reads a file with a key. Fails if anyone but its owner may read it.
pub(crate) fn read_private(path: &Path) -> Result<Zeroizing<String>, CliError> {
    let file = File::open(path).map_err(CliError::file(path))?;
    let metadata = file.metadata().map_err(CliError::file(path))?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return Err(CliError::usage(format!("{} is not a key file", path.display())));
    }
    check_private(path, &metadata)?;
    let mut text = Zeroizing::new(String::with_capacity(usize::try_from(metadata.len()).unwrap_or_default()));
    let read = file.take(MAX_BYTES).read_to_string(&mut text);
    read.map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => CliError::usage(format!("{} is not a key file", path.display())),
        _ => CliError::file(path)(error),
    })?;
    Ok(text)
}

#[cfg(unix)]
fn check_private(path: &Path, metadata: &std::fs::Metadata) -> Result<(), CliError> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = metadata.permissions().mode() & 0o777;
    let of_others = mode & 0o077;
    if of_others == 0 {
        return Ok(());
    }
    Err(CliError::usage(format!(
        "{path} can be read or changed by others (mode {mode:03o}): run `chmod 600 {path}`",
        path = path.display()
    )))
}

/// On other systems, a file inherits the permissions of its folder.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix this can fail")]
fn check_private(_path: &Path, _metadata: &std::fs::Metadata) -> Result<(), CliError> {
    Ok(())
}
