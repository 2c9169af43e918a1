//! Public parts of keys, in the usual forms.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use ed25519::pkcs8::PublicKeyBytes;
use pkcs8::der::pem::LineEnding;
use pkcs8::spki::{DecodePublicKey as _, EncodePublicKey as _};
use serde::{Deserialize, Serialize};
use spindrift_api::{KeyEntry, KeyValue};
use spindrift_trust::PublicKey;
use ssh_agent_lib::ssh_key;
use ssh_agent_lib::ssh_key::public::{Ed25519PublicKey, KeyData};

use super::agent::Agent;
use super::p256_key::public_key;
use super::ssh::{fingerprint, of_ssh, to_ssh};
use crate::error::CliError;

/// Maximum size of a file with a public key, in bytes.
const MAX_BYTES: u64 = 16 * 1024;

/// Prefixes of OpenSSH lines.
const SSH_TYPES: [&str; 4] = ["ssh-", "ecdsa-", "sk-ssh-", "sk-ecdsa-"];

/// A key in the JSON of metadata. Unknown fields are ignored, because the id is computed without
/// them.
#[derive(Debug, Deserialize)]
struct GivenKey {
    #[serde(default)]
    keyid: Option<String>,
    keytype: String,
    scheme: String,
    keyval: KeyValue,
}

/// A public key in all formats.
#[derive(Debug, Serialize)]
pub(crate) struct PublicForms {
    #[serde(flatten)]
    key: KeyEntry,
    pub(super) pem: String,
    pub(super) openssh: String,
    /// In the format of `ssh-add -l`.
    pub(super) fingerprint: String,
}

/// Reads the public part of a key: TUF JSON, PEM or an OpenSSH line, as text or in a file; or
/// `agent:<fingerprint>`.
pub(crate) fn read_public(given: &str) -> Result<PublicKey, CliError> {
    if let Some(fingerprint) = given.strip_prefix("agent:") {
        return Ok(Agent::of_environment().find(fingerprint)?.public().clone());
    }
    if is_text(given) {
        return parse(given, "the key");
    }
    let path = Path::new(given);
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
    read.map_err(CliError::file(path))?;
    parse(&text, given)
}

fn is_text(given: &str) -> bool {
    let given = given.trim_start();
    given.starts_with('{')
        || given.starts_with("-----BEGIN")
        || SSH_TYPES.iter().any(|start| given.starts_with(start) && given.contains(' '))
}

/// `of` names the key in messages.
fn parse(text: &str, of: &str) -> Result<PublicKey, CliError> {
    let text = text.trim();
    let fault =
        |what: &str| CliError::usage(format!("{of}: {what}: `spindrift trust key show` prints public keys"));
    if text.contains("PRIVATE KEY-----") {
        return Err(fault("this is a private key, and only its public part is wanted"));
    }
    if text.starts_with('{') {
        return of_json(text)
            .ok_or_else(|| fault("this is not a TUF key in JSON, or its keyid is that of another key"));
    }
    if text.starts_with("-----BEGIN") {
        return of_pem(text).ok_or_else(|| fault("this is not a public key of Ed25519 or P-256 in PEM"));
    }
    let key = ssh_key::PublicKey::from_openssh(text).map_err(|_| fault("this is not a public key"))?;
    of_ssh(key.key_data())
}

fn of_json(text: &str) -> Option<PublicKey> {
    let key: GivenKey = serde_json::from_str(text).ok()?;
    let public = of_tuf(&key.keytype, &key.scheme, &key.keyval.public)?;
    key.keyid.is_none_or(|id| id == public.id().as_str()).then_some(public)
}

/// A key in an answer of the service. `None`: it is invalid, or its id is that of another key.
pub(crate) fn of_entry(entry: &KeyEntry) -> Option<PublicKey> {
    let key = of_tuf(&entry.keytype, &entry.scheme, &entry.keyval.public)?;
    (key.id().as_str() == entry.keyid).then_some(key)
}

/// The key with these fields of metadata. `None`: it is invalid.
fn of_tuf(keytype: &str, scheme: &str, public: &str) -> Option<PublicKey> {
    let key = match keytype {
        "ed25519" => PublicKey::from_ed25519(base16ct::lower::decode_vec(public).ok()?.try_into().ok()?)?,
        "ecdsa" => of_pem(public)?,
        _ => return None,
    };
    (key.scheme() == scheme).then_some(key)
}

fn of_pem(text: &str) -> Option<PublicKey> {
    if let Ok(key) = PublicKeyBytes::from_public_key_pem(text) {
        return PublicKey::from_ed25519(key.to_bytes());
    }
    public_key(&p256::PublicKey::from_public_key_pem(text).ok()?)
}

/// Extension of the file with the public part, beside the file with the private key.
pub(crate) const PUBLIC_EXTENSION: &str = "pub";

/// Writes the public part of a key beside its file, as an OpenSSH line.
pub(crate) fn write_beside(path: &Path, key: &PublicKey) -> Result<PathBuf, CliError> {
    let beside = path.with_extension(PUBLIC_EXTENSION);
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let line = format!("{} {name}\n", PublicForms::of(key)?.openssh);
    std::fs::write(&beside, line).map_err(CliError::file(&beside))?;
    Ok(beside)
}

impl PublicForms {
    /// Converts a key to all formats.
    pub(crate) fn of(key: &PublicKey) -> Result<Self, CliError> {
        let unusable = || CliError::Other("the public key cannot be written".to_owned());
        let ssh = to_ssh(key).ok_or_else(unusable)?;
        let pem = match &ssh {
            KeyData::Ed25519(Ed25519PublicKey(bytes)) => {
                PublicKeyBytes(*bytes).to_public_key_pem(LineEnding::LF).map_err(|_| unusable())?
            }
            _ => key.public().to_owned(),
        };
        let fingerprint = fingerprint(&ssh);
        let openssh = ssh_key::PublicKey::from(ssh).to_openssh().map_err(|_| unusable())?;
        Ok(Self {
            key: KeyEntry {
                keyid: key.id().to_string(),
                keytype: key.keytype().to_owned(),
                scheme: key.scheme().to_owned(),
                keyval: KeyValue { public: key.public().to_owned() },
            },
            pem,
            openssh,
            fingerprint,
        })
    }

    /// The formats as text for people.
    pub(crate) fn as_text(&self) -> String {
        // Serializing cannot fail: all keys are text.
        let json = serde_json::to_string(&self.key).unwrap_or_default();
        format!("{json}\n\n{}\n{}\n\n{}", self.pem, self.openssh, self.fingerprint)
    }
}
