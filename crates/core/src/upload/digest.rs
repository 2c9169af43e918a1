//! Digests as uploaders declare them: hexadecimal text of either case.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A text that is not a hexadecimal digest of the expected length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid digest")]
pub struct InvalidDigest;

/// An MD5 digest. Text: 32 hexadecimal digits, read in either case, written in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Md5Digest([u8; 16]);

impl Md5Digest {
    /// From its bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl FromStr for Md5Digest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, InvalidDigest> {
        let hex = lower_hex(text, 32)?;
        u128::from_str_radix(&hex, 16).map(|n| Self(n.to_be_bytes())).map_err(|_| InvalidDigest)
    }
}

impl fmt::Display for Md5Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

fn lower_hex(text: &str, digits: usize) -> Result<String, InvalidDigest> {
    if text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit()) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err(InvalidDigest)
    }
}

macro_rules! hex_digest {
    ($(#[$doc:meta])* $type:ident, $digits:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $type(String);

        impl $type {
            /// The digits, lower case.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $type {
            type Err = InvalidDigest;

            fn from_str(text: &str) -> Result<Self, InvalidDigest> {
                lower_hex(text, $digits).map(Self)
            }
        }

        impl TryFrom<String> for $type {
            type Error = InvalidDigest;

            fn try_from(text: String) -> Result<Self, InvalidDigest> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(digest: $type) -> Self {
                digest.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

hex_digest!(
    /// A SHA-256 digest: 64 hexadecimal digits, read in either case, kept in lower case.
    Sha256Hex, 64
);
hex_digest!(
    /// A SHA-512 digest: 128 hexadecimal digits, read in either case, kept in lower case.
    Sha512Hex, 128
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn md5_is_read_in_either_case() {
        let digest: Md5Digest = "00112233445566778899AAbbCCddEEff".parse().unwrap();
        assert_eq!(digest.as_bytes()[..2], [0x00, 0x11]);
        assert_eq!(digest.to_string(), "00112233445566778899aabbccddeeff");
        assert_eq!(Md5Digest::from_bytes(*digest.as_bytes()), digest);
        let sign = format!("+{}", "0".repeat(31));
        let wide = "ä".repeat(16);
        for bad in ["", "0", &"0".repeat(31), &"0".repeat(33), &"g".repeat(32), &sign, &wide] {
            assert_eq!(bad.parse::<Md5Digest>(), Err(InvalidDigest), "{bad:?}");
        }
    }

    #[test]
    fn sha_digests_have_their_length() {
        assert_eq!("AB".repeat(32).parse::<Sha256Hex>().unwrap().as_str(), "ab".repeat(32));
        assert_eq!("AB".repeat(64).parse::<Sha512Hex>().unwrap().as_str(), "ab".repeat(64));
        assert_eq!("ab".repeat(64).parse::<Sha256Hex>(), Err(InvalidDigest));
        assert_eq!("ab".repeat(32).parse::<Sha512Hex>(), Err(InvalidDigest));
        assert_eq!("zz".repeat(32).parse::<Sha256Hex>(), Err(InvalidDigest));
    }
}
