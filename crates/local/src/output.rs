//! Lines for standard output.

use std::fmt::Arguments;
use std::io::Write as _;

/// Writes a line. A line that cannot be written, for example because `head` has closed the pipe, is dropped
/// and the command continues: `println!` would panic.
pub(crate) fn write_line(line: Arguments<'_>) {
    let _ = std::io::stdout().lock().write_all(format!("{line}\n").as_bytes());
}

/// Like `println!`, with [`write_line`].
macro_rules! say {
    ($($line:tt)+) => { $crate::output::write_line(format_args!($($line)+)) };
}

pub(crate) use say;
