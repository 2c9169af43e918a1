//! Public keys.

use std::collections::BTreeMap;

use base16ct::lower;
use ed25519_compact as ed25519;
use p256::ecdsa::signature::Verifier as _;
use p256::ecdsa::{DerSignature, VerifyingKey};
use p256::pkcs8::{DecodePublicKey as _, EncodePublicKey as _, LineEnding};

use crate::KeyId;
use crate::canonical::canonical;
use crate::error::Fault;
use crate::field_reader::{FieldReader, exact};
use crate::json::Json;

/// Public keys by their ids.
pub type PublicKeys = BTreeMap<KeyId, PublicKey>;

/// A public key in the form of
/// [TUF 1.0, section 4.2](https://theupdateframework.github.io/specification/latest/#metaformat). Keys have
/// exactly the fields `keytype`, `scheme` and `keyval.public`: some clients compute the id over all fields,
/// others only over these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    id: KeyId,
    kind: KeyKind,
    public: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum KeyKind {
    /// [RFC 8032](https://www.rfc-editor.org/rfc/rfc8032); written as lower-case hexadecimal digits.
    Ed25519(ed25519::PublicKey),
    /// ECDSA over P-256 with SHA-256; written as the PEM of a `SubjectPublicKeyInfo`
    /// ([RFC 7468, section 13](https://www.rfc-editor.org/rfc/rfc7468#section-13)) with line feeds, one of
    /// them at the end.
    P256(VerifyingKey),
}

impl KeyKind {
    /// `keytype` and `scheme`.
    const fn names(&self) -> (&'static str, &'static str) {
        match self {
            Self::Ed25519(_) => ("ed25519", "ed25519"),
            Self::P256(_) => ("ecdsa", "ecdsa-sha2-nistp256"),
        }
    }
}

impl PublicKey {
    /// An Ed25519 key. `None` unless the bytes are the canonical form of a point that can verify signatures.
    pub fn from_ed25519(bytes: [u8; 32]) -> Option<Self> {
        let key = ed25519::PublicKey::new(bytes);
        key.validate().ok()?;
        Self::new(KeyKind::Ed25519(key), lower::encode_string(&bytes))
    }

    /// A P-256 key. `None` unless the PEM is exactly what we would write.
    pub fn from_p256_pem(pem: &str) -> Option<Self> {
        let key = p256::PublicKey::from_public_key_pem(pem).ok()?;
        let written = key.to_public_key_pem(LineEnding::LF).ok()?;
        if written == pem { Self::new(KeyKind::P256(key.into()), written) } else { None }
    }

    fn new(kind: KeyKind, public: String) -> Option<Self> {
        let id = KeyId::of_canonical(&canonical(&json(&kind, &public)).ok()?);
        Some(Self { id, kind, public })
    }

    pub const fn id(&self) -> &KeyId {
        &self.id
    }

    /// The key itself, as text. Keys are compared by this, whatever their ids.
    pub fn public(&self) -> &str {
        &self.public
    }

    /// `keytype`: `ed25519` or `ecdsa`.
    pub const fn keytype(&self) -> &'static str {
        self.kind.names().0
    }

    /// `scheme`: `ed25519` or `ecdsa-sha2-nistp256`.
    pub const fn scheme(&self) -> &'static str {
        self.kind.names().1
    }

    /// Whether `signature` over `message` was made with this key: 64 bytes for Ed25519, DER for P-256.
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        match &self.kind {
            KeyKind::Ed25519(key) => ed25519::Signature::from_slice(signature)
                .is_ok_and(|signature| key.verify(message, &signature).is_ok()),
            KeyKind::P256(key) => DerSignature::from_bytes(signature)
                .is_ok_and(|signature| key.verify(message, &signature).is_ok()),
        }
    }

    pub(crate) fn to_json(&self) -> Json {
        json(&self.kind, &self.public)
    }

    fn read(value: Json) -> Result<Self, Fault> {
        let fault = "keys";
        let mut fields = FieldReader::of(value, fault)?;
        let (keytype, scheme) = (fields.text::<String>("keytype")?, fields.text::<String>("scheme")?);
        let mut keyval = fields.object("keyval")?;
        let public: String = keyval.text("public")?;
        keyval.done()?;
        fields.done()?;
        let key = match keytype.as_str() {
            "ed25519" => lower::decode_vec(&public)
                .ok()
                .and_then(|bytes| bytes.try_into().ok())
                .and_then(Self::from_ed25519),
            _ => Self::from_p256_pem(&public),
        };
        key.filter(|key| (key.keytype(), key.scheme()) == (&keytype, &scheme)).ok_or_else(|| fault.into())
    }
}

fn json(kind: &KeyKind, public: &str) -> Json {
    let (keytype, scheme) = kind.names();
    Json::object([
        ("keytype", Json::text(keytype)),
        ("scheme", Json::text(scheme)),
        ("keyval", Json::object([("public", Json::text(public))])),
    ])
}

/// Reads `keys`. A key listed under an id that is not its own is refused: some clients would count it twice.
pub(crate) fn read_keys(fields: FieldReader) -> Result<PublicKeys, Fault> {
    let read = |(id, json): (String, Json)| {
        let key = PublicKey::read(json)?;
        match exact::<KeyId>(&id).filter(|id| id == key.id()) {
            Some(id) => Ok((id, key)),
            None => Err(Fault::from("key id")),
        }
    };
    fields.into_iter().map(read).collect()
}

/// `keys` as JSON.
pub(crate) fn keys_json(keys: &PublicKeys) -> Json {
    Json::Object(keys.iter().map(|(id, key)| (id.to_string(), key.to_json())).collect())
}

#[cfg(test)]
mod tests;
