//! zsync, the client from Debian. AppImageUpdate reads the same files.

use std::path::Path;
use std::process::Command;

use crate::skipped::skipped;

/// Downloads a file by the URL of its `.zsync` file, with the blocks that another file has. Returns the
/// number of bytes that it downloaded of the file. `None`: zsync is not installed. Then it has said so, and
/// the test has nothing to run.
pub fn download(url: &str, old: &Path, new: &Path) -> Option<Result<u64, String>> {
    let done = Command::new("zsync").arg("-i").arg(old).arg("-o").arg(new).arg(url).output();
    let Ok(done) = done else {
        skipped("zsync is not installed");
        return None;
    };
    let said = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).join("");
    if !done.status.success() {
        return Some(Err(said));
    }
    // A line is `used 2996952 local, fetched 3048`.
    let number = said.lines().find_map(|line| line.rsplit_once("fetched "));
    let fetched = number.and_then(|(_, number)| number.trim().parse().ok());
    Some(fetched.ok_or(said))
}
