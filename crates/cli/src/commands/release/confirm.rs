//! Asks for a confirmation before a deletion.

use std::io::IsTerminal as _;

use crate::error::CliError;
use crate::output::tell;

/// Asks a question on the terminal.
pub(super) fn confirm(question: &str) -> Result<(), CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::usage("there is no terminal to ask on: pass --yes to delete"));
    }
    tell(&format!("{question} [y/N] "));
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line);
    read.map_err(CliError::file(std::path::Path::new("the terminal")))?;
    if matches!(line.trim(), "y" | "Y" | "yes") {
        Ok(())
    } else {
        Err(CliError::Other("nothing was deleted".to_owned()))
    }
}
