//! Identifiers of keys.

use std::fmt;
use std::str::FromStr;

use base16ct::lower;
use sha2::{Digest, Sha256};

/// Identifies a key: the SHA-256 of its canonical form as 64 lower-case hexadecimal digits
/// ([TUF 1.0, section 4.2](https://theupdateframework.github.io/specification/latest/#metaformat)).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid key id")]
pub struct InvalidKeyId;

impl KeyId {
    pub(crate) fn of_canonical(key: &[u8]) -> Self {
        Self(lower::encode_string(&Sha256::digest(key)))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for KeyId {
    type Err = InvalidKeyId;

    fn from_str(text: &str) -> Result<Self, InvalidKeyId> {
        match lower::decode_vec(text) {
            Ok(bytes) if bytes.len() == 32 => Ok(Self(text.to_owned())),
            _ => Err(InvalidKeyId),
        }
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        assert_eq!("0f".repeat(32).parse::<KeyId>().map(|id| id.to_string()), Ok("0f".repeat(32)));
        for bad in [
            "",
            "0f",
            &"0F".repeat(32),
            &"0f".repeat(31),
            &"0f".repeat(33),
            &"0g".repeat(32),
            &"0f ".repeat(22),
        ] {
            assert_eq!(bad.parse::<KeyId>(), Err(InvalidKeyId), "{bad}");
        }
    }
}
