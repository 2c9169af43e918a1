//! Lines for standard error.

use std::fmt::Display;
use std::io::Write as _;
use std::sync::OnceLock;

/// Writes the lines of this process, if the program around the components has a format of its own.
static WRITER: OnceLock<fn(&str)> = OnceLock::new();

/// Sets the writer of all further lines. Only the first call in a process has an effect.
pub fn set_log_writer(writer: fn(&str)) {
    let _ = WRITER.set(writer);
}

/// Writes a line to standard error. A line that cannot be written, for example because Spin keeps it in a
/// file on a full disk, is dropped: `eprintln!` would panic, and the caller would get no answer.
pub fn log_line(line: impl Display) {
    if let Some(write) = WRITER.get() {
        return write(&line.to_string());
    }
    let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
