//! Output: results on standard output, everything else on standard error.

use std::io::{IsTerminal as _, Write as _};

use serde::Serialize;
use spindrift_core::is_deceptive;

use crate::error::CliError;
use crate::refusal::one_line;

/// Number of spaces between two columns.
const GAP: usize = 2;

/// How to show results and messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

/// How to show progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgressMode {
    /// Progress bars: standard error is a terminal.
    Bars,
    /// Lines: standard error is a file or a pipe.
    Lines,
    /// No progress, because of `--quiet`.
    Nothing,
}

impl Output {
    /// Prints a result: JSON, or text for people.
    pub(crate) fn result(self, value: &impl Serialize, text: &str) -> Result<(), CliError> {
        if self.json { print_json(value) } else { print(&format!("{}\n", clean(text))) }
    }

    /// Prints a result with rows: JSON, or a table for people.
    pub(crate) fn rows(
        self,
        value: &impl Serialize,
        headers: &[&str],
        rows: &[Vec<String>],
    ) -> Result<(), CliError> {
        if self.json { print_json(value) } else { print(&table(headers, rows)) }
    }

    /// Prints a message that is not part of the result.
    pub(crate) fn message(self, text: &str) {
        if !self.quiet {
            tell(&format!("{text}\n"));
        }
    }

    /// Prints the error that ends the program.
    pub(crate) fn error(self, error: &CliError) {
        match error {
            CliError::Closed => {}
            _ if self.json => tell(&format!("{}\n", error.as_json())),
            _ => tell(&format!("error: {error}\n")),
        }
    }

    /// How a long command shows its progress.
    pub(crate) fn progress_mode(self) -> ProgressMode {
        match (self.quiet, std::io::stderr().is_terminal()) {
            (true, _) => ProgressMode::Nothing,
            (false, true) => ProgressMode::Bars,
            (false, false) => ProgressMode::Lines,
        }
    }
}

fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    // Serializing cannot fail: all keys are text.
    print(&format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default()))
}

/// Writes the final result of a command to standard output. It is not an error if the reader stops
/// early, like `head`: the command has done its work.
pub(crate) fn print(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<(), CliError> {
    match print_part(text) {
        Err(CliError::Closed) => Ok(()),
        done => done,
    }
}

/// Writes a part of a long result to standard output.
///
/// # Errors
///
/// [`CliError::Closed`] if the reader has stopped, so that the caller need not produce the rest.
pub(crate) fn print_part(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<(), CliError> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_ref()).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => CliError::Closed,
        _ => CliError::file(std::path::Path::new("standard output"))(error),
    })
}

/// Writes to standard error. Ignores failures, where `eprint!` would panic.
pub(crate) fn tell(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Multi-line text, without characters that could control the terminal or hide other text.
fn clean(text: &str) -> String {
    let clean = |c| if is_deceptive(c) && !matches!(c, '\n' | '\t') { ' ' } else { c };
    text.chars().map(clean).collect()
}

/// Formats a table with columns as wide as their widest cell.
pub(crate) fn table(headers: &[&str], rows: &[Vec<String>]) -> String {
    let header: Vec<String> = headers.iter().map(|&header| header.to_owned()).collect();
    let lines: Vec<Vec<String>> = std::iter::once(header)
        .chain(rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()))
        .collect();
    let width = |column: usize| {
        lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..headers.len()).map(|column| width(column).unwrap_or(0)).collect();
    let show = |line: &Vec<String>| {
        let cells =
            line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}", width = width + GAP));
        format!("{}\n", cells.collect::<String>().trim_end())
    };
    lines.iter().map(show).collect()
}

/// `yes`, or an empty text.
pub(crate) fn yes_or_empty(flag: bool) -> String {
    if flag { "yes".to_owned() } else { String::new() }
}

/// A number of bytes in readable units.
pub(crate) fn bytes(count: u64) -> String {
    indicatif::HumanBytes(count).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_do_not_control_the_terminal() {
        assert_eq!(clean("a\u{1b}[2J\tb\r\nc\u{202e}d"), "a [2J\tb \nc d");
    }

    #[test]
    fn columns_line_up() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["longer\nname".to_owned(), String::new()]];
        assert_eq!(table(&["NAME", "ID"], &rows), "NAME         ID\na            1\nlonger name\n");
    }
}
