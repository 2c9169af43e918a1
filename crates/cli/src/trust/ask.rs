//! Asks for a confirmation before something is signed or dropped.

use std::io::IsTerminal as _;

use crate::error::CliError;
use crate::output::{Output, tell};

/// Shows what will be signed, and asks for a confirmation. `yes`: the user has already agreed.
///
/// # Errors
///
/// The user refuses, or there is no terminal.
pub(crate) fn agree(output: Output, shown: &str, yes: bool) -> Result<(), CliError> {
    if yes {
        output.message(shown);
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        output.message(shown);
        return Err(CliError::usage(
            "there is no terminal to ask on: look at what is to be signed, and pass --yes",
        ));
    }
    if confirm(shown, "Sign this?")? { Ok(()) } else { Err(CliError::Other("nothing was signed".to_owned())) }
}

/// Shows a text, and asks on the terminal. `false`: the user refuses, or there is no terminal.
pub(crate) fn confirm(shown: &str, question: &str) -> Result<bool, CliError> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    tell(&format!("{shown}\n"));
    tell(&format!("{question} [y/N] "));
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line);
    read.map_err(CliError::file(std::path::Path::new("the terminal")))?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
