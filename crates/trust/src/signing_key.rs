//! Ed25519 keys for signing.

use std::fmt;

use ed25519_compact::{KeyPair, Seed};

use crate::{PublicKey, Signature, TrustError};

/// An Ed25519 key ([RFC 8032](https://www.rfc-editor.org/rfc/rfc8032)). Its secret is wiped when the key is
/// dropped, and is never displayed.
#[derive(Clone)]
pub struct SigningKey {
    pair: KeyPair,
    public: PublicKey,
}

impl SigningKey {
    pub fn from_seed(seed: [u8; 32]) -> Result<Self, TrustError> {
        let fault = TrustError::Internal("make a signing key");
        let pair = KeyPair::try_from_seed(Seed::new(seed)).map_err(|_| fault.clone())?;
        let public = PublicKey::from_ed25519(*pair.pk).ok_or(fault)?;
        Ok(Self { pair, public })
    }

    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs the canonical form of metadata. Deterministic: the same message gets the same signature.
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signature::by_ed25519(self.public.id().clone(), &self.pair.sk.sign(message, None))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_id_is_shown() {
        let key = SigningKey::from_seed([7; 32]).unwrap();
        assert_eq!(format!("{key:?}"), format!("SigningKey({})", key.public().id()));
        assert!(SigningKey::from_seed([0; 32]).is_err());
    }
}
