//! P-256 keys.

use p256::ecdsa::signature::Signer as _;
use p256::pkcs8::{EncodePublicKey as _, LineEnding};
use spindrift_trust::{PublicKey, Signature};

use crate::error::CliError;

/// A P-256 key pair. The secret is wiped on drop.
pub(crate) struct P256Key {
    secret: p256::ecdsa::SigningKey,
    public: PublicKey,
}

impl P256Key {
    pub(super) fn new(secret: &p256::SecretKey) -> Result<Self, CliError> {
        let public = public_key(&secret.public_key());
        let public = public.ok_or_else(|| CliError::usage("the key cannot sign: make another one"))?;
        Ok(Self { secret: secret.into(), public })
    }

    pub(super) const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs the canonical form of metadata.
    pub(super) fn sign(&self, message: &[u8]) -> Result<Signature, CliError> {
        let signature: p256::ecdsa::Signature = self.secret.sign(message);
        in_metadata(&self.public, &signature)
    }
}

/// Converts a public key to its form in metadata.
pub(super) fn public_key(key: &p256::PublicKey) -> Option<PublicKey> {
    PublicKey::from_p256_pem(&key.to_public_key_pem(LineEnding::LF).ok()?)
}

/// Converts a signature to its form in metadata: DER.
pub(super) fn in_metadata(
    public: &PublicKey,
    signature: &p256::ecdsa::Signature,
) -> Result<Signature, CliError> {
    let hex = base16ct::lower::encode_string(signature.to_der().as_bytes());
    Signature::from_hex(public.id().clone(), &hex)
        .ok_or_else(|| CliError::Other("the signature cannot be written as metadata".to_owned()))
}
