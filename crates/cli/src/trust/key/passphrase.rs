//! Passphrases of keys.

use std::io::IsTerminal as _;

use crate::commands::account::read_secret;
use crate::error::CliError;
use crate::secret::Secret;

/// The environment variable with the passphrase of encrypted keys.
const VARIABLE: &str = "SPINDRIFT_KEY_PASSWORD";

/// Minimum number of characters in a new passphrase. A stolen file can be attacked without limits.
const MIN_LENGTH: usize = 8;

/// Where the passphrase of an encrypted key comes from: the environment, or a prompt, at most once
/// in a run.
#[derive(Debug, Default)]
pub(crate) struct Passphrase {
    known: Option<Secret>,
}

impl Passphrase {
    pub(crate) const fn known(passphrase: Secret) -> Self {
        Self { known: Some(passphrase) }
    }

    /// The passphrase for a key. The prompt names it as `of`.
    pub(crate) fn get(&mut self, of: &str) -> Result<&Secret, CliError> {
        let secret = match self.known.take() {
            Some(known) => known,
            None => read_secret(VARIABLE, &format!("Passphrase of {of}: "))?,
        };
        Ok(self.known.insert(secret))
    }
}

/// The passphrase for new keys. A prompt asks for it twice.
pub(crate) fn new_passphrase() -> Result<Secret, CliError> {
    let is_typed =
        std::env::var(VARIABLE).map_or(true, |value| value.is_empty()) && std::io::stdin().is_terminal();
    let first = read_secret(VARIABLE, "Passphrase for the new keys: ").map_err(|error| match error {
        CliError::Usage(_) => CliError::usage(format!(
            "new keys need a passphrase, and there is no terminal to ask on: set {VARIABLE}, or pass --no-passphrase"
        )),
        other => other,
    })?;
    if is_typed && read_secret(VARIABLE, "The same passphrase again: ")? != first {
        return Err(CliError::usage("the two passphrases differ: run this again"));
    }
    if first.expose().chars().count() < MIN_LENGTH {
        return Err(CliError::usage(format!(
            "the passphrase has fewer than {MIN_LENGTH} characters: choose a longer one"
        )));
    }
    Ok(first)
}
