//! Lines for standard error.

use std::fmt::Display;
use std::io::Write as _;

/// Writes a line to standard error. One that cannot be written, for example because Spin keeps it in a file on a full disk,
/// is lost: `eprintln!` would panic, and the caller would get no answer.
pub fn log_line(line: impl Display) {
    let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
