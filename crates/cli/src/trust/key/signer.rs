//! Keys that can sign.

use std::fmt;

use spindrift_trust::{PublicKey, Signature, SigningKey};
use zeroize::Zeroizing;

use super::agent::AgentKey;
use super::p256_key::P256Key;
use crate::error::CliError;

pub(crate) enum Signer {
    /// An Ed25519 key in this process.
    Ed25519(SigningKey),
    /// A P-256 key in this process.
    P256(Box<P256Key>),
    /// A key in an ssh-agent.
    Agent(AgentKey),
}

impl Signer {
    /// Generates an Ed25519 key. Also returns its seed.
    pub(crate) fn generate() -> Result<(Self, Zeroizing<[u8; 32]>), CliError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut_slice())
            .map_err(|error| CliError::Other(format!("no random numbers: {error}")))?;
        Ok((Self::of_seed(&seed)?, seed))
    }

    /// The Ed25519 key with this seed.
    pub(crate) fn of_seed(seed: &[u8; 32]) -> Result<Self, CliError> {
        let key = SigningKey::from_seed(*seed);
        key.map(Self::Ed25519).map_err(|_| CliError::usage("the key cannot sign: make another one"))
    }

    pub(crate) fn of_p256(secret: &p256::SecretKey) -> Result<Self, CliError> {
        P256Key::new(secret).map(|key| Self::P256(Box::new(key)))
    }

    pub(crate) const fn public(&self) -> &PublicKey {
        match self {
            Self::Ed25519(key) => key.public(),
            Self::P256(key) => key.public(),
            Self::Agent(key) => key.public(),
        }
    }

    /// Signs the canonical form of metadata.
    pub(crate) fn sign(&self, message: &[u8]) -> Result<Signature, CliError> {
        match self {
            Self::Ed25519(key) => Ok(key.sign(message)),
            Self::P256(key) => key.sign(message),
            Self::Agent(key) => key.sign(message),
        }
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({})", self.public().id())
    }
}
