//! Keys in an ssh-agent
//! ([draft-miller-ssh-agent](https://datatracker.ietf.org/doc/draft-miller-ssh-agent/)), which
//! signs with them and never reveals them. There are agents for hardware, password managers and
//! remote machines.

use std::ffi::{OsStr, OsString};
use std::{env, io};

use spindrift_trust::{PublicKey, Signature};
use ssh_agent_lib::blocking::Client;
use ssh_agent_lib::error::AgentError;
use ssh_agent_lib::proto::{Identity, PublicCredential, SignRequest};
use ssh_agent_lib::ssh_encoding::Decode as _;
use ssh_agent_lib::ssh_key::{Algorithm, EcdsaCurve, Fingerprint, Mpint};

use super::p256_key::in_metadata;
use super::ssh::of_ssh;
use crate::error::CliError;
use crate::refusal::one_line;

/// The environment variable with the address of the agent.
const SOCKET: &str = "SSH_AUTH_SOCK";

/// The pipe of the agent that comes with Windows. On other systems agents have no standard address.
const STANDARD: Option<&str> = if cfg!(windows) { Some(r"\\.\pipe\openssh-ssh-agent") } else { None };

#[cfg(unix)]
type Stream = std::os::unix::net::UnixStream;
#[cfg(not(unix))]
type Stream = std::fs::File;

#[derive(Debug, Clone)]
pub(super) struct Agent {
    /// Address of the socket or pipe. `None`: there is no agent.
    address: Option<OsString>,
}

/// An Ed25519 or P-256 key in an agent.
#[derive(Debug)]
pub(crate) struct AgentKey {
    agent: Agent,
    credential: PublicCredential,
    public: PublicKey,
}

impl Agent {
    /// The agent at the address in the environment.
    pub(super) fn of_environment() -> Self {
        let address = env::var_os(SOCKET).filter(|address| !address.is_empty());
        Self { address: address.or_else(|| STANDARD.map(OsString::from)) }
    }

    #[cfg(all(test, unix))]
    pub(super) fn at(address: &std::path::Path) -> Self {
        Self { address: Some(address.into()) }
    }

    /// The key with this fingerprint, in the format of `ssh-add -l`: `SHA256:...`.
    pub(super) fn find(self, fingerprint: &str) -> Result<AgentKey, CliError> {
        let wanted: Fingerprint = fingerprint.parse().map_err(|_| {
            CliError::usage(format!(
                "`{}` is not a fingerprint: fingerprints look like SHA256:..., see `ssh-add -l`",
                one_line(fingerprint)
            ))
        })?;
        let identities = self.client()?.request_identities().map_err(|error| failed(&error))?;
        let key = |Identity { credential, .. }: &Identity| match credential {
            PublicCredential::Key(key) if key.fingerprint(wanted.algorithm()) == wanted => Some(key.clone()),
            _ => None,
        };
        let key = identities.iter().find_map(key).ok_or_else(|| {
            CliError::NotFound(format!("the ssh-agent has no key {wanted}: `ssh-add -l` shows what it has"))
        })?;
        let public = of_ssh(&key)?;
        Ok(AgentKey { agent: self, credential: key.into(), public })
    }

    fn client(&self) -> Result<Client<Stream>, CliError> {
        let address = self.address.as_deref().ok_or_else(|| {
            CliError::usage(format!("there is no ssh-agent: start one, so that {SOCKET} is set"))
        })?;
        connect(address).map(Client::new).map_err(|error| {
            let reason = one_line(&error.to_string());
            CliError::Other(format!("the ssh-agent cannot be reached ({reason}): start it again"))
        })
    }
}

impl AgentKey {
    pub(crate) const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Asks the agent to sign a message.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Signature, CliError> {
        let request = SignRequest { credential: self.credential.clone(), data: message.to_vec(), flags: 0 };
        let answer = self.agent.client()?.sign(request).map_err(|error| failed(&error))?;
        let other = || {
            CliError::Other("the ssh-agent signed with a key of another type: use another agent".to_owned())
        };
        let signature = match answer.algorithm() {
            Algorithm::Ed25519 => {
                let hex = base16ct::lower::encode_string(answer.as_bytes());
                Signature::from_hex(self.public.id().clone(), &hex).ok_or_else(other)?
            }
            Algorithm::Ecdsa { curve: EcdsaCurve::NistP256 } => {
                let signature = p256_of(answer.as_bytes()).ok_or_else(other)?;
                in_metadata(&self.public, &signature)?
            }
            _ => return Err(other()),
        };
        // A wrong signature of an agent must not spoil the signatures of others.
        if self.public.verifies(message, signature.bytes()) { Ok(signature) } else { Err(other()) }
    }
}

/// The two numbers of a signature ([RFC 5656, section
/// 3.1.2](https://www.rfc-editor.org/rfc/rfc5656#section-3.1.2)).
fn p256_of(mut bytes: &[u8]) -> Option<p256::ecdsa::Signature> {
    let mut number = || {
        let number = Mpint::decode(&mut bytes).ok()?;
        let digits = number.as_positive_bytes()?;
        let mut all = p256::FieldBytes::default();
        let start = all.len().checked_sub(digits.len())?;
        all.get_mut(start..)?.copy_from_slice(digits);
        Some(all)
    };
    let (r, s) = (number()?, number()?);
    p256::ecdsa::Signature::from_scalars(r, s).ok()
}

#[cfg(unix)]
fn connect(address: &OsStr) -> io::Result<Stream> {
    Stream::connect(address)
}

#[cfg(not(unix))]
fn connect(address: &OsStr) -> io::Result<Stream> {
    std::fs::OpenOptions::new().read(true).write(true).open(address)
}

fn failed(error: &AgentError) -> CliError {
    CliError::Other(format!(
        "the ssh-agent refuses ({}): unlock it, or confirm there",
        one_line(&error.to_string())
    ))
}

#[cfg(test)]
mod tests;
