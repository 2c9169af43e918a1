//! Passwords, stored as Argon2id hashes.

use std::fmt;
use std::str::FromStr;

use argon2::password_hash::{self, PasswordHasher as _, PasswordVerifier as _, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use spindrift_core::{MAX_PASSWORD_CHARS, MIN_PASSWORD_CHARS, PasswordHashCost};

use crate::AuthError;

/// Random bytes that make hashes of the same password differ.
pub const SALT_BYTES: usize = 16;

/// Memory of one hash, in KiB: 19 MiB. Together with the next two constants, the minimum recommended by
/// [OWASP](https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html#argon2id).
const MEMORY_KIB: u32 = 19_456;
/// Passes over the memory.
const PASSES: u32 = 2;
/// Parallel lanes.
const LANES: u32 = 1;

/// Salt and output of a hash that no password matches.
const DUMMY: &str = "c3BpbmRyaWZ0OmR1bW15IQ$vBoZuvpVcKFRn5BrnKBYQy2tDlTDUacQaNav0PbtYBk";

/// Memory in KiB, passes and lanes.
const fn work(cost: PasswordHashCost) -> (u32, u32, u32) {
    match cost {
        PasswordHashCost::Default => (MEMORY_KIB, PASSES, LANES),
        PasswordHashCost::Test => (Params::MIN_M_COST, Params::MIN_T_COST, Params::MIN_P_COST),
    }
}

/// A new password: 8-1024 characters.
#[derive(Clone)]
pub struct Password(String);

impl Password {
    pub fn hash(&self, salt: [u8; SALT_BYTES], cost: PasswordHashCost) -> Result<PasswordHash, AuthError> {
        const FAULT: AuthError = AuthError::Internal("hash a password");
        let (memory, passes, lanes) = work(cost);
        let params = Params::new(memory, passes, lanes, None).map_err(|_| FAULT)?;
        let salt = SaltString::encode_b64(&salt).map_err(|_| FAULT)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let hash = argon2.hash_password(self.0.as_bytes(), &salt).map_err(|_| FAULT)?;
        Ok(PasswordHash(hash.to_string()))
    }
}

impl FromStr for Password {
    type Err = AuthError;

    fn from_str(text: &str) -> Result<Self, AuthError> {
        if (MIN_PASSWORD_CHARS..=MAX_PASSWORD_CHARS).contains(&text.chars().count()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(AuthError::PasswordLength)
        }
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password([redacted])")
    }
}

/// A stored hash, in [PHC form](https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md).
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// A hash from the database. A damaged hash matches no password.
    pub fn from_stored(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text to store.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the hash is that of `password`. Takes the same time in both cases, which depends on the hash
    /// alone.
    pub fn verify(&self, password: &str) -> bool {
        if password.chars().count() > MAX_PASSWORD_CHARS {
            return false;
        }
        password_hash::PasswordHash::new(&self.0)
            .is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash([redacted])")
    }
}

/// Takes as long as [`PasswordHash::verify`] for hashes of this cost. Call it for unknown users, so that
/// response times do not reveal which users exist.
pub fn dummy_verify(password: &str, cost: PasswordHashCost) {
    std::hint::black_box(dummy(cost).verify(password));
}

fn dummy(cost: PasswordHashCost) -> PasswordHash {
    let (memory, passes, lanes) = work(cost);
    PasswordHash(format!("$argon2id$v=19$m={memory},t={passes},p={lanes}${DUMMY}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(password: &str, salt: u8) -> PasswordHash {
        hash_at(PasswordHashCost::Default, password, salt)
    }

    fn hash_at(cost: PasswordHashCost, password: &str, salt: u8) -> PasswordHash {
        password.parse::<Password>().unwrap().hash([salt; SALT_BYTES], cost).unwrap()
    }

    #[test]
    fn lengths_are_in_characters() {
        for (text, ok) in [
            ("1234567".to_owned(), false),
            ("12345678".to_owned(), true),
            ("ä".repeat(7), false),
            ("ä".repeat(1024), true),
            ("a".repeat(1025), false),
            (String::new(), false),
        ] {
            assert_eq!(text.parse::<Password>().is_ok(), ok, "{}", text.len());
        }
    }

    #[test]
    fn only_the_password_matches() {
        let stored = hash("correct horse", 1);
        assert!(stored.expose().starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", stored.expose());
        assert_ne!(stored, hash("correct horse", 2));
        let stored = PasswordHash::from_stored(stored.expose());
        for (password, matches) in [("correct horse", true), ("correct horsf", false), ("", false)] {
            assert_eq!(stored.verify(password), matches, "{password}");
        }
        assert!(!stored.verify(&"x".repeat(MAX_PASSWORD_CHARS + 1)));
    }

    #[test]
    fn damaged_hashes_match_nothing() {
        for text in ["", "x", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA", "$2b$12$abcdefghijklmnopqrstuv"] {
            assert!(!PasswordHash::from_stored(text).verify("correct horse"), "{text}");
        }
    }

    #[test]
    fn the_dummy_costs_what_the_others_cost() {
        for cost in PasswordHashCost::ALL {
            let (dummy, real) = (dummy(cost), hash_at(cost, "correct horse", 1));
            assert!(!dummy.verify("correct horse"));
            let dummy = password_hash::PasswordHash::new(dummy.expose()).unwrap();
            let real = password_hash::PasswordHash::new(real.expose()).unwrap();
            assert_eq!((dummy.algorithm, dummy.version), (real.algorithm, real.version));
            assert_eq!(dummy.params, real.params);
            assert_eq!(dummy.hash.map(|h| h.len()), real.hash.map(|h| h.len()));
            dummy_verify("correct horse", cost);
        }
    }

    #[test]
    fn a_hash_says_what_it_costs() {
        let cheap = hash_at(PasswordHashCost::Test, "correct horse", 1);
        assert!(cheap.expose().starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{}", cheap.expose());
        for stored in [cheap, hash("correct horse", 1)] {
            let stored = PasswordHash::from_stored(stored.expose());
            assert!(stored.verify("correct horse") && !stored.verify("correct horsf"));
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        assert_eq!(format!("{:?}", "correct horse".parse::<Password>().unwrap()), "Password([redacted])");
        assert_eq!(format!("{:?}", PasswordHash::from_stored("x")), "PasswordHash([redacted])");
    }
}
