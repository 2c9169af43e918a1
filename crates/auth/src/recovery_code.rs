//! Recovery codes, with which people log in who have lost their passkeys.

use std::fmt;

use base16ct::lower::encode_string as hex;
use sha2::{Digest as _, Sha256};

/// Random bytes of a code: 80 bits, which nobody guesses.
pub const RECOVERY_CODE_BYTES: usize = 10;
/// Number of codes that a user gets at a time.
pub const RECOVERY_CODES: usize = 10;

/// [Crockford's base 32](https://www.crockford.com/base32.html): no letter looks like a digit.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Bits of a character.
const BITS: usize = 5;
/// Characters of a code.
const CHARACTERS: usize = RECOVERY_CODE_BYTES * 8 / BITS;
/// Characters between two hyphens.
const GROUP: usize = 4;

/// A recovery code, such as `k3vm-91ta-0h7r-xq5d`. It is shown once, stored as a digest, and good once.
#[derive(Clone, PartialEq, Eq)]
pub struct RecoveryCode(String);

impl RecoveryCode {
    pub fn generate(random: [u8; RECOVERY_CODE_BYTES]) -> Self {
        let bits = random.iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
        let characters = (0..CHARACTERS).rev().map(|at| {
            let index = usize::try_from(bits >> (at * BITS) & 31).unwrap_or(0);
            char::from(ALPHABET[index])
        });
        Self(characters.collect())
    }

    /// A code as a person types it: in any case, with hyphens and spaces anywhere, and with `o` for 0 and `i` or `l`
    /// for 1. `None`: nothing that looks like a code.
    pub fn parse(typed: &str) -> Option<Self> {
        let plain = typed.chars().filter(|c| !matches!(c, '-' | ' ')).map(|c| match c.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            other => other,
        });
        let text: String = plain.take(CHARACTERS + 1).collect();
        let is_code = text.len() == CHARACTERS && text.bytes().all(|b| ALPHABET.contains(&b));
        is_code.then_some(Self(text))
    }

    /// The text for its user, in groups of four.
    pub fn expose(&self) -> String {
        let groups: Vec<&str> = (0..self.0.len()).step_by(GROUP).map(|at| &self.0[at..at + GROUP]).collect();
        groups.join("-")
    }

    /// The digest to store: lower-case hex SHA-256.
    pub fn digest(&self) -> String {
        hex(&Sha256::digest(&self.0))
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_type_codes_as_they_like() {
        let code = RecoveryCode::generate([0, 0x10, 0x83, 0x10, 0x51, 0x87, 0x20, 0x92, 0x8b, 0xff]);
        let text = code.expose();
        assert_eq!(text.len(), 19, "{text}");
        for typed in [
            text.clone(),
            text.to_uppercase(),
            text.replace('-', ""),
            text.replace('-', " ").replace('0', "O"),
        ] {
            assert_eq!(RecoveryCode::parse(&typed).map(|code| code.digest()), Some(code.digest()), "{typed}");
        }
        for wrong in
            ["", "-", "u", &text[1..], &format!("{text}0"), &"0".repeat(100_000), "ääää-ääää-ääää-ääää"]
        {
            assert!(RecoveryCode::parse(wrong).is_none(), "{wrong}");
        }
        assert_eq!(format!("{code:?}"), "RecoveryCode([redacted])");
    }

    #[test]
    fn each_bit_counts() {
        let codes: Vec<String> = (0..RECOVERY_CODE_BYTES * 8)
            .map(|bit| {
                let mut random = [0; RECOVERY_CODE_BYTES];
                random[bit / 8] = 1 << (bit % 8);
                RecoveryCode::generate(random).expose()
            })
            .collect();
        let mut unique = codes.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), codes.len());
    }
}
