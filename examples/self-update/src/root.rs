//! The root whose signatures updates must have.

use std::fs;
use std::io;
use std::path::Path;

/// `root.json` of the time of the build; empty if there was none.
const EMBEDDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/root.json"));

/// The embedded root, or else `root.json` beside the program: whoever can write there can also replace the program.
/// `None`: updates are not verified.
pub(crate) fn root(program: &Path) -> io::Result<Option<Vec<u8>>> {
    if !EMBEDDED.is_empty() {
        return Ok(Some(EMBEDDED.to_vec()));
    }
    match fs::read(program.with_file_name("root.json")) {
        Ok(root) => Ok(Some(root)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
