//! `EdDSA` keys and signatures as Sparkle's `generate_keys` and `sign_update` make them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_compact::{KeyPair, PublicKey, Signature};

#[derive(Debug)]
pub struct SigningKey(KeyPair);

impl SigningKey {
    /// Generates a key pair.
    pub fn generate() -> Self {
        Self(KeyPair::generate())
    }

    /// `SUPublicEDKey` of the app.
    pub fn public_key(&self) -> String {
        STANDARD.encode(*self.0.pk)
    }

    /// `sparkle:edSignature` of an archive.
    pub fn sign(&self, bytes: &[u8]) -> String {
        STANDARD.encode(*self.0.sk.sign(bytes, None))
    }
}

/// Checks that a signature belongs to these bytes.
pub fn verify(public_key: &str, bytes: &[u8], signature: &str) -> Result<(), String> {
    let decoded = |text: &str| STANDARD.decode(text).map_err(|error| error.to_string());
    let key = PublicKey::from_slice(&decoded(public_key)?).map_err(|error| error.to_string())?;
    let signature = Signature::from_slice(&decoded(signature)?).map_err(|error| error.to_string())?;
    key.verify(bytes, &signature).map_err(|error| error.to_string())
}
