//! Lines for standard error.

use std::io::Write as _;

/// Writes a line. One that cannot be written, for example because it goes to a file on a full disk, is lost: `eprintln!`
/// would panic, and whoever waits for the task would wait for ever.
pub fn log_line(line: &str) {
    let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
