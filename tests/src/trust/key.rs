//! Keys.

use std::fmt;

use ed25519_compact::{KeyPair, Noise, Seed};
use hkdf::Hkdf;
use p256::ecdsa::signature::Signer as _;
use p256::pkcs8::{EncodePublicKey as _, LineEnding};
use serde_json::{Value, json};
use sha2::Sha256;

use super::canonical::canonical;
use crate::digests::{hex, sha256_hex};

/// A key of one of the two kinds that metadata has.
#[derive(Clone)]
pub struct TestKey {
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Ed25519(Box<KeyPair>),
    P256(Box<p256::ecdsa::SigningKey>),
}

impl TestKey {
    /// An Ed25519 key. The same seed is the same key.
    pub fn from_seed(seed: u8) -> Self {
        Self { kind: Kind::Ed25519(Box::new(KeyPair::from_seed(Seed::new([seed; Seed::BYTES])))) }
    }

    /// The key of the service that its secret gives for an application: as a thief of the secret has it.
    /// `purpose`: `online` or `targets`.
    pub fn of_service(secret: &str, app_id: &str, purpose: &str, generation: u32) -> Self {
        let generation = generation.to_be_bytes();
        let parts = [b"spindrift tuf ed25519", app_id.as_bytes(), purpose.as_bytes(), &generation];
        let length = |part: &[u8]| u32::try_from(part.len()).expect("a short text").to_be_bytes();
        let info: Vec<u8> = parts.iter().flat_map(|part| [&length(part)[..], part].concat()).collect();
        let mut seed = [0; Seed::BYTES];
        Hkdf::<Sha256>::new(None, secret.as_bytes()).expand(&info, &mut seed).expect("a short seed");
        Self { kind: Kind::Ed25519(Box::new(KeyPair::from_seed(Seed::new(seed)))) }
    }

    /// A P-256 key, as in hardware. The same seed is the same key; 0 is none.
    pub fn p256_from_seed(seed: u8) -> Self {
        let key = p256::ecdsa::SigningKey::from_slice(&[seed; 32]).expect("a number of the field");
        Self { kind: Kind::P256(Box::new(key)) }
    }

    /// The public key in its form in metadata.
    pub fn public(&self) -> Value {
        match &self.kind {
            Kind::Ed25519(pair) => {
                json!({ "keytype": "ed25519", "scheme": "ed25519", "keyval": { "public": hex(&*pair.pk) } })
            }
            Kind::P256(key) => {
                let public = p256::PublicKey::from(key.verifying_key());
                let pem = public.to_public_key_pem(LineEnding::LF).expect("a PEM");
                json!({ "keytype": "ecdsa", "scheme": "ecdsa-sha2-nistp256", "keyval": { "public": pem } })
            }
        }
    }

    /// Its name in metadata.
    pub fn id(&self) -> String {
        sha256_hex(canonical(&self.public()).as_bytes())
    }

    /// The signature in lower hex. The same message has the same one.
    pub fn sign(&self, message: &[u8]) -> String {
        match &self.kind {
            Kind::Ed25519(pair) => hex(&*pair.sk.sign(message, None::<Noise>)),
            Kind::P256(key) => {
                let signature: p256::ecdsa::DerSignature = key.sign(message);
                hex(signature.as_bytes())
            }
        }
    }
}

impl fmt::Debug for TestKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "TestKey({})", self.id())
    }
}

/// The keys that sign a role, and the number of signatures that it needs.
#[derive(Debug, Clone)]
pub struct Signers {
    /// All of them.
    pub keys: Vec<TestKey>,
    /// At least 1.
    pub threshold: u64,
}

impl Signers {
    /// Any one of these.
    pub fn one_of(seeds: impl IntoIterator<Item = u8>) -> Self {
        Self { keys: seeds.into_iter().map(TestKey::from_seed).collect(), threshold: 1 }
    }

    /// All of these.
    pub fn all_of(keys: impl IntoIterator<Item = TestKey>) -> Self {
        let keys: Vec<_> = keys.into_iter().collect();
        Self { threshold: keys.len() as u64, keys }
    }

    /// The keys' names.
    pub fn ids(&self) -> Vec<String> {
        self.keys.iter().map(TestKey::id).collect()
    }
}

/// The keys that a root names.
#[derive(Debug, Clone)]
pub struct RootKeys {
    /// Sign the next root.
    pub root: Signers,
    /// Sign the list of targets.
    pub targets: Signers,
    /// Signs snapshot and timestamp.
    pub online: TestKey,
}

impl RootKeys {
    /// A working and a recovery key, a publisher's and an online key. Another generation has others.
    pub fn generation(generation: u8) -> Self {
        let seed = generation * 8;
        Self {
            root: Signers::one_of([seed, seed + 1]),
            targets: Signers::one_of([seed + 2]),
            online: TestKey::from_seed(seed + 3),
        }
    }
}
