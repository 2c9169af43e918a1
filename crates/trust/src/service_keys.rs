//! The service's own keys: derived, never stored.

use std::collections::BTreeSet;

use hkdf::Hkdf;
use sha2::Sha256;
use spindrift_core::Id;

use crate::{KeyId, Secrets, SigningKey, TrustError};

/// Start of the `info` of every derivation, so that no other use of the secret gives the same keys.
const LABEL: &str = "spindrift tuf ed25519";

/// The roles that a service key signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Snapshot and timestamp.
    Online,
    /// Targets, if no publisher signs them.
    Targets,
}

impl Purpose {
    const ALL: [Self; 2] = [Self::Online, Self::Targets];

    /// The text in the derivation.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Online => "online",
            Self::Targets => "targets",
        }
    }
}

/// Counts the keys of an application from 1. It rises when a root names the key of the next generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation(u32);

impl Generation {
    pub const FIRST: Self = Self(1);

    /// From a stored number. `None` for 0.
    pub const fn from_number(number: u32) -> Option<Self> {
        if number == 0 { None } else { Some(Self(number)) }
    }

    pub const fn number(self) -> u32 {
        self.0
    }

    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// The generations of the keys that the current root names, or would name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generations {
    /// Generation of the key for snapshot and timestamp.
    pub online: Generation,
    /// Generation of the key for targets.
    pub targets: Generation,
}

impl Generations {
    /// Before the first root.
    pub const FIRST: Self = Self { online: Generation::FIRST, targets: Generation::FIRST };

    pub const fn of(self, purpose: Purpose) -> Generation {
        match purpose {
            Purpose::Online => self.online,
            Purpose::Targets => self.targets,
        }
    }
}

/// Derives the keys of one application.
#[derive(Debug, Clone)]
pub struct ServiceKeys<'a> {
    secrets: &'a Secrets,
    app: &'a Id,
}

/// The ids of an application's keys, for recognising the keys that a root names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceKeyIds {
    /// The keys for snapshot and timestamp that a new root may name.
    pub(crate) online: BTreeSet<KeyId>,
    /// The keys for targets that a new root may name.
    pub(crate) targets: BTreeSet<KeyId>,
    /// All keys up to the next generation, of all secrets and purposes.
    pub(crate) derivable: BTreeSet<KeyId>,
}

impl<'a> ServiceKeys<'a> {
    /// The keys of `app`, which keeps its id when it is renamed.
    pub const fn new(secrets: &'a Secrets, app: &'a Id) -> Self {
        Self { secrets, app }
    }

    /// The key that a new root should name: it is derived from the first secret.
    pub fn derive(&self, purpose: Purpose, generation: Generation) -> Result<SigningKey, TrustError> {
        let first = self.secrets.iter().next().ok_or(TrustError::WeakSecret)?;
        self.derive_from(first, purpose, generation)
    }

    /// The key with this id that a root of `generation` names. `None` if no secret derives it: then signing
    /// is impossible until a root names another key.
    pub fn find(
        &self,
        purpose: Purpose,
        generation: Generation,
        id: &KeyId,
    ) -> Result<Option<SigningKey>, TrustError> {
        for secret in self.secrets.iter() {
            let key = self.derive_from(secret, purpose, generation)?;
            if key.public().id() == id {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// The ids of the keys up to the generation after the `current` one of each purpose. A new root may name
    /// the current keys, and those of the next generation that are derived from the first secret.
    pub fn ids(&self, current: Generations) -> Result<ServiceKeyIds, TrustError> {
        let none = BTreeSet::new;
        let mut ids = ServiceKeyIds { online: none(), targets: none(), derivable: none() };
        for (at, secret) in self.secrets.iter().enumerate() {
            for purpose in Purpose::ALL {
                let current = current.of(purpose);
                let next = current.next();
                for generation in (1..=next.0).map(Generation) {
                    let id = self.derive_from(secret, purpose, generation)?.public().id().clone();
                    if generation == current || (generation == next && at == 0) {
                        match purpose {
                            Purpose::Online => ids.online.insert(id.clone()),
                            Purpose::Targets => ids.targets.insert(id.clone()),
                        };
                    }
                    ids.derivable.insert(id);
                }
            }
        }
        Ok(ids)
    }

    /// HKDF-SHA-256 ([RFC 5869](https://www.rfc-editor.org/rfc/rfc5869)) without salt. Its `info` consists of
    /// the label, the application's id, the purpose and the generation (four bytes, big-endian). Each is
    /// preceded by its length in bytes (in the same form), so that different values never give the same
    /// `info`.
    fn derive_from(
        &self,
        secret: &[u8],
        purpose: Purpose,
        generation: Generation,
    ) -> Result<SigningKey, TrustError> {
        let fault = || TrustError::Internal("derive a key");
        let mut info = Vec::new();
        let generation = generation.0.to_be_bytes();
        for part in [LABEL.as_bytes(), self.app.as_str().as_bytes(), purpose.as_str().as_bytes(), &generation]
        {
            info.extend(u32::try_from(part.len()).map_err(|_| fault())?.to_be_bytes());
            info.extend(part);
        }
        let mut seed = [0; 32];
        Hkdf::<Sha256>::new(None, secret).expand(&info, &mut seed).map_err(|_| fault())?;
        SigningKey::from_seed(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "0123456789abcdef0123456789abcdef";
    const GENERATIONS: Generations = Generations { online: Generation(2), targets: Generation::FIRST };
    const NEW: &str = "fedcba9876543210fedcba9876543210";

    fn app() -> Id {
        Id::from_text("0193f3a0-0000-7000-8000-000000000000")
    }

    fn id(secrets: &str, purpose: Purpose, generation: Generation) -> KeyId {
        let secrets = secrets.parse().unwrap();
        ServiceKeys::new(&secrets, &app()).derive(purpose, generation).unwrap().public().id().clone()
    }

    /// Computed with Python's `cryptography`. With another derivation, the root of every repository would
    /// name keys that nobody has.
    #[test]
    fn derivation_vector() {
        for (purpose, generation, public) in [
            (Purpose::Online, 1, "acf568fd05ed2deef9a168adc0705dfdbee3d8ad15f6714571023f2a37ce5e3c"),
            (Purpose::Online, 2, "ac0770e63c809ca3574b64cf4c2adc683a32e4713f1c1f288605cdd764c6068b"),
            (Purpose::Targets, 1, "bb8ee4d1a8fde0f53a4abe007eb1c988610352abf479fdec03603438e51b748c"),
        ] {
            let secrets = OLD.parse().unwrap();
            let app = app();
            let key = ServiceKeys::new(&secrets, &app).derive(purpose, Generation(generation)).unwrap();
            assert_eq!(key.public().public(), public);
        }
    }

    #[test]
    fn another_secret_finds_its_own_keys() {
        let secrets = format!("{NEW} {OLD}").parse().unwrap();
        let app = app();
        let keys = ServiceKeys::new(&secrets, &app);
        let old = id(OLD, Purpose::Online, Generation::FIRST);
        let found = |purpose, generation| {
            keys.find(purpose, generation, &old).unwrap().map(|k| k.public().id().clone())
        };
        assert_eq!(found(Purpose::Online, Generation::FIRST), Some(old.clone()));
        assert_eq!(found(Purpose::Targets, Generation::FIRST), None);
        assert_eq!(found(Purpose::Online, Generation(2)), None);
        let new = keys.derive(Purpose::Online, Generation::FIRST).unwrap().public().id().clone();
        assert_eq!(new, id(NEW, Purpose::Online, Generation::FIRST));
        assert_ne!(new, old);
    }

    #[test]
    fn new_roots_may_name_the_current_and_the_next_keys() {
        let secrets = format!("{NEW} {OLD}").parse().unwrap();
        let ids = ServiceKeys::new(&secrets, &app()).ids(GENERATIONS).unwrap();
        for (purpose, named, other) in
            [(Purpose::Online, &ids.online, &ids.targets), (Purpose::Targets, &ids.targets, &ids.online)]
        {
            let current = GENERATIONS.of(purpose).number();
            for (secret, ahead, is_named) in [
                (NEW, 0, false),
                (NEW, 1, true),
                (NEW, 2, true),
                (OLD, 0, false),
                (OLD, 1, true),
                (OLD, 2, false),
            ] {
                let Some(generation) = Generation::from_number(current + ahead - 1) else { continue };
                let id = id(secret, purpose, generation);
                assert_eq!(named.contains(&id), is_named, "{secret} {generation:?}");
                assert!(!other.contains(&id));
                assert!(ids.derivable.contains(&id));
            }
        }
        // Of both secrets: three for snapshot and timestamp, two for targets.
        assert_eq!(ids.derivable.len(), 10);
    }

    #[test]
    fn another_application_has_other_keys() {
        let secrets = OLD.parse().unwrap();
        let other = Id::from_text("0193f3a0-0000-7000-8000-000000000001");
        let key = ServiceKeys::new(&secrets, &other).derive(Purpose::Online, Generation::FIRST).unwrap();
        assert_ne!(*key.public().id(), id(OLD, Purpose::Online, Generation::FIRST));
    }
}
