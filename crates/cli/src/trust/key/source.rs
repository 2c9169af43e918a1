//! Where a key comes from.

use std::convert::Infallible;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use zeroize::Zeroizing;

use super::agent::Agent;
use super::passphrase::Passphrase;
use super::signer::Signer;
use super::{file, pem};
use crate::error::CliError;
use crate::secret::Secret;

/// A reference to a key in an argument. It is never the key itself, because other users can see
/// arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// `env:NAME`: the environment variable has the text of a PEM file.
    Variable(String),
    /// `agent:<fingerprint>`: a key of the ssh-agent.
    Agent(String),
    /// A PEM file.
    File(PathBuf),
}

impl FromStr for KeySource {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(if let Some(name) = text.strip_prefix("env:") {
            Self::Variable(name.to_owned())
        } else if let Some(fingerprint) = text.strip_prefix("agent:") {
            Self::Agent(fingerprint.to_owned())
        } else {
            Self::File(PathBuf::from(text))
        })
    }
}

/// Hides a text that looks like a PEM file: it may be a key that was mistakenly given as an
/// argument.
impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "env:{name}"),
            Self::Agent(fingerprint) => write!(f, "agent:{fingerprint}"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl KeySource {
    /// Reads the key, or finds it in the agent.
    pub(crate) fn open(&self, passphrase: &mut Passphrase) -> Result<Signer, CliError> {
        match self {
            Self::Variable(name) => {
                let text = variable(name)?;
                pem::from_pem(&text, &self.to_string(), passphrase)
            }
            Self::Agent(fingerprint) => Agent::of_environment().find(fingerprint).map(Signer::Agent),
            Self::File(path) if is_key_text(path) => Err(CliError::usage(
                "a key was given as an argument, which other users can see: make another one, and give its file or env:NAME",
            )),
            Self::File(path) => {
                let text = file::read_private(path)?;
                pem::from_pem(&text, &self.to_string(), passphrase)
            }
        }
    }

    /// Writes a new Ed25519 key to a file. Without a passphrase it is not encrypted.
    pub(crate) fn create(path: &Path, passphrase: Option<&Secret>) -> Result<Signer, CliError> {
        let (signer, seed) = Signer::generate()?;
        file::create_private(path, &pem::to_pem(&seed, passphrase)?)?;
        Ok(signer)
    }
}

fn is_key_text(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains("-----BEGIN"))
}

fn variable(name: &str) -> Result<Zeroizing<String>, CliError> {
    let value = std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    value.map(Zeroizing::new).ok_or_else(|| {
        CliError::usage(format!(
            "the environment variable {name} has no key: set it to the text of a key file"
        ))
    })
}
