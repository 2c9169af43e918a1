//! Private keys as text: PKCS#8 in PEM ([RFC 5958](https://www.rfc-editor.org/rfc/rfc5958)), plain or
//! encrypted with PBES2 ([RFC 8018](https://www.rfc-editor.org/rfc/rfc8018)). OpenSSL, python-cryptography
//! and others read both.

use ed25519::pkcs8::KeypairBytes;
use p256::elliptic_curve::ALGORITHM_OID as EC_OID;
use pkcs8::der::pem::LineEnding;
use pkcs8::{EncodePrivateKey as _, EncryptedPrivateKeyInfoRef, PrivateKeyInfoRef, SecretDocument};
use zeroize::Zeroizing;

use super::passphrase::Passphrase;
use super::signer::Signer;
use crate::error::CliError;
use crate::secret::Secret;

/// The PEM label of an unencrypted key.
const PLAIN: &str = "PRIVATE KEY";
/// The PEM label of an encrypted key.
const ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";

/// Encodes an Ed25519 key. A passphrase encrypts it with scrypt and AES-256-CBC.
pub(super) fn to_pem(seed: &[u8; 32], passphrase: Option<&Secret>) -> Result<Zeroizing<String>, CliError> {
    let pair = KeypairBytes { secret_key: *seed, public_key: None };
    let text = match passphrase {
        Some(passphrase) => pair.to_pkcs8_encrypted_pem(passphrase.expose(), LineEnding::LF),
        None => pair.to_pkcs8_pem(LineEnding::LF),
    };
    text.map_err(|_| CliError::Other("the key cannot be written".to_owned()))
}

/// Reads a private key. `of` names it in messages and in the prompt for its passphrase.
pub(super) fn from_pem(text: &str, of: &str, passphrase: &mut Passphrase) -> Result<Signer, CliError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let (label, document) = SecretDocument::from_pem(text).map_err(|_| no_key(text, of))?;
    match label {
        PLAIN => of_document(&document, of),
        ENCRYPTED => {
            let encrypted =
                EncryptedPrivateKeyInfoRef::try_from(document.as_bytes()).map_err(|_| no_key(text, of))?;
            let plain = encrypted.decrypt(passphrase.get(of)?.expose()).map_err(|error| match error {
                pkcs8::Error::EncryptedPrivateKey(pkcs8::pkcs5::Error::UnsupportedAlgorithm { .. }) => CliError::usage(
                    format!("{of} is encrypted in a way that is not supported: use PBES2 with scrypt or PBKDF2, and AES"),
                ),
                _ => CliError::usage(format!("the passphrase of {of} is wrong: try again")),
            })?;
            of_document(&plain, of)
        }
        _ => Err(no_key(text, of)),
    }
}

fn of_document(document: &SecretDocument, of: &str) -> Result<Signer, CliError> {
    let damaged = || CliError::usage(format!("{of} is damaged: take a copy, or make another key"));
    let info = PrivateKeyInfoRef::try_from(document.as_bytes()).map_err(|_| damaged())?;
    match info.algorithm.oid {
        ed25519::pkcs8::ALGORITHM_OID => {
            let pair = KeypairBytes::try_from(info).map_err(|_| damaged())?;
            let signer = Signer::of_seed(&pair.secret_key)?;
            // Signatures under two public keys would reveal the secret, so the file's public part
            // must match.
            match pair.public_key {
                Some(public) if base16ct::lower::encode_string(&public.0) != signer.public().public() => {
                    Err(damaged())
                }
                _ => Ok(signer),
            }
        }
        EC_OID => {
            let key = p256::SecretKey::try_from(info);
            Signer::of_p256(&key.map_err(|_| unsupported(of))?)
        }
        _ => Err(unsupported(of)),
    }
}

fn unsupported(of: &str) -> CliError {
    CliError::usage(format!("{of} is neither Ed25519 nor P-256: `spindrift trust key new` makes one"))
}

/// The error for a text that is not such a key. It never repeats the text.
fn no_key(text: &str, of: &str) -> CliError {
    let hint = if text.contains("BEGIN OPENSSH PRIVATE KEY") {
        "it is an OpenSSH key: add it to an ssh-agent, and pass agent:<fingerprint>"
    } else if text.contains("BEGIN PUBLIC KEY") {
        "it is the public part only"
    } else if text.contains("BEGIN EC PRIVATE KEY") || text.contains("BEGIN RSA PRIVATE KEY") {
        "it is in an older format: `openssl pkcs8 -topk8` makes it PKCS#8"
    } else {
        "it has no private key in PKCS#8 PEM: `spindrift trust key new` makes one"
    };
    CliError::usage(format!("{of}: {hint}"))
}
