//! Keys.

use std::fmt;

use ed25519_compact::{KeyPair, Noise, Seed};
use serde_json::{Value, json};

use super::canonical::canonical;
use crate::digests::{hex, sha256_hex};

/// An Ed25519 key.
#[derive(Clone)]
pub struct TestKey {
    pair: KeyPair,
}

impl TestKey {
    /// The same seed is the same key.
    pub fn from_seed(seed: u8) -> Self {
        Self { pair: KeyPair::from_seed(Seed::new([seed; Seed::BYTES])) }
    }

    /// As metadata has it.
    pub fn public(&self) -> Value {
        json!({ "keytype": "ed25519", "scheme": "ed25519", "keyval": { "public": hex(&*self.pair.pk) } })
    }

    /// Its name in metadata.
    pub fn id(&self) -> String {
        sha256_hex(canonical(&self.public()).as_bytes())
    }

    /// The signature in lower hex. The same message has the same one.
    pub fn sign(&self, message: &[u8]) -> String {
        hex(&*self.pair.sk.sign(message, None::<Noise>))
    }
}

impl fmt::Debug for TestKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "TestKey({})", self.id())
    }
}

/// Who signs a role, and how many of them have to.
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
