//! Public keys in the formats of OpenSSH.

use pkcs8::spki::DecodePublicKey as _;
use spindrift_trust::PublicKey;
use ssh_agent_lib::ssh_key::HashAlg;
use ssh_agent_lib::ssh_key::public::{EcdsaPublicKey, Ed25519PublicKey, KeyData};

use super::p256_key::public_key;
use crate::error::CliError;

/// Converts a key from an agent or an OpenSSH line.
pub(super) fn of_ssh(key: &KeyData) -> Result<PublicKey, CliError> {
    let found = match key {
        KeyData::Ed25519(Ed25519PublicKey(bytes)) => PublicKey::from_ed25519(*bytes),
        KeyData::Ecdsa(EcdsaPublicKey::NistP256(point)) => {
            p256::PublicKey::from_sec1_bytes(point.as_bytes()).ok().and_then(|key| public_key(&key))
        }
        KeyData::SkEd25519(_) | KeyData::SkEcdsaSha2NistP256(_) => {
            return Err(CliError::usage(
                "keys of the types sk-... do not sign the bytes that they are given, so clients cannot verify them: use PIV or PKCS#11 of the same device",
            ));
        }
        _ => None,
    };
    found.ok_or_else(|| {
        CliError::usage(format!(
            "keys of the type {} are not supported: use ed25519 or ecdsa-sha2-nistp256",
            key.algorithm()
        ))
    })
}

/// Converts a key to the format of OpenSSH. `None`: not possible.
pub(super) fn to_ssh(key: &PublicKey) -> Option<KeyData> {
    if key.keytype() == "ed25519" {
        let bytes = base16ct::lower::decode_vec(key.public()).ok()?.try_into().ok()?;
        Some(KeyData::Ed25519(Ed25519PublicKey(bytes)))
    } else {
        let point = p256::PublicKey::from_public_key_pem(key.public()).ok()?;
        EcdsaPublicKey::from_sec1_bytes(&point.to_sec1_bytes()).ok().map(KeyData::Ecdsa)
    }
}

/// Fingerprint of a key, in the format of `ssh-add -l`.
pub(super) fn fingerprint(key: &KeyData) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}
