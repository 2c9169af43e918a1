//! Keys made of a prefix and 64 hexadecimal digits: automation tokens, download tokens, report keys, and the
//! secrets of invitations.

use std::fmt;
use std::str::FromStr;

use base16ct::lower::encode_string as hex;
use sha2::{Digest, Sha256};

use crate::{AuthError, bearer};

/// Number of leading characters of a key that lists show.
pub const VISIBLE_PREFIX_LENGTH: usize = 12;

/// Random bytes in a key.
const KEY_BYTES: usize = 32;

fn has_form(text: &str, prefix: &str) -> bool {
    text.strip_prefix(prefix).is_some_and(|digits| {
        digits.len() == KEY_BYTES * 2 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    })
}

macro_rules! key_text {
    ($(#[$doc:meta])* $type:ident, $prefix:literal, $error:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $type(String);

        impl $type {
            /// A new key from random bytes.
            pub fn generate(random: [u8; KEY_BYTES]) -> Self {
                Self(format!(concat!($prefix, "{}"), hex(&random)))
            }

            /// The secret text.
            pub fn expose(&self) -> &str {
                &self.0
            }

            /// Lower-case hexadecimal SHA-256 of the whole text, used to look it up.
            pub fn digest(&self) -> String {
                hex(&Sha256::digest(&self.0))
            }

            /// The first [`VISIBLE_PREFIX_LENGTH`] characters, so that people can tell keys apart.
            pub fn prefix(&self) -> &str {
                self.0.get(..VISIBLE_PREFIX_LENGTH).unwrap_or_default()
            }
        }

        impl FromStr for $type {
            type Err = AuthError;

            fn from_str(text: &str) -> Result<Self, AuthError> {
                if has_form(text, $prefix) { Ok(Self(text.to_owned())) } else { Err($error) }
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($type), "([redacted])"))
            }
        }
    };
}

key_text!(
    /// A token for automation: `sdt_` and 64 lower-case hexadecimal digits.
    CiToken, "sdt_", AuthError::InvalidToken
);
key_text!(
    /// The token with which clients of a private application download: `sdd_` and 64 lower-case hexadecimal
    /// digits.
    DownloadToken, "sdd_", AuthError::InvalidDownloadToken
);
key_text!(
    /// The key with which an application sends failure reports: `rpk_` and 64 lower-case hexadecimal digits.
    ReportKey, "rpk_", AuthError::InvalidReportKey
);

key_text!(
    /// The secret in the link of an invitation: `sdi_` and 64 lower-case hexadecimal digits.
    InvitationSecret, "sdi_", AuthError::InvalidInvitation
);

impl InvitationSecret {
    /// The secret in an `Authorization` header.
    pub fn from_header(authorization: Option<&str>) -> Result<Self, AuthError> {
        bearer(authorization)?.parse()
    }
}

impl ReportKey {
    /// The key in an `Authorization` header. Every error is [`AuthError::InvalidReportKey`].
    pub fn from_header(authorization: Option<&str>) -> Result<Self, AuthError> {
        bearer(authorization).map_err(|_| AuthError::InvalidReportKey)?.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_only_what_it_should() {
        let token = CiToken::generate([0xAB; 32]);
        assert_eq!(token.expose(), format!("sdt_{}", "ab".repeat(32)));
        assert_eq!(token.prefix(), "sdt_abababab");
        assert_eq!(format!("{token:?}"), "CiToken([redacted])");
        assert_eq!(token.expose().parse(), Ok(token));
        assert_eq!(format!("{:?}", ReportKey::generate([0; 32])), "ReportKey([redacted])");
        assert_eq!(format!("{:?}", DownloadToken::generate([0; 32])), "DownloadToken([redacted])");
    }

    /// Computed with `printf 'rpk_00...00' | sha256sum`.
    #[test]
    fn digest_vector() {
        assert_eq!(
            ReportKey::generate([0; 32]).digest(),
            "cc152a5ddcab626769b1bd69e07aa90d495c2fe5f945c047317c511e4e163137"
        );
    }

    #[test]
    fn forms() {
        let digits = "0f".repeat(32);
        for bad in [
            String::new(),
            digits.clone(),
            format!("rpk_{}", digits.to_uppercase()),
            format!("rpk_{digits}0"),
            format!("rpk_{}", &digits[1..]),
            format!("sdt_{digits}"),
            format!("rpk_{}g", &digits[1..]),
            format!(" rpk_{digits}"),
        ] {
            assert_eq!(bad.parse::<ReportKey>(), Err(AuthError::InvalidReportKey), "{bad}");
        }
        assert_eq!(format!("rpk_{digits}").parse::<CiToken>(), Err(AuthError::InvalidToken));
        assert_eq!(format!("sdt_{digits}").parse::<DownloadToken>(), Err(AuthError::InvalidDownloadToken));
        assert_eq!(format!("sdt_{digits}").parse::<InvitationSecret>(), Err(AuthError::InvalidInvitation));
    }

    #[test]
    fn report_keys_in_headers() {
        let key = ReportKey::generate([7; 32]);
        let header = format!("Bearer {}", key.expose());
        assert_eq!(ReportKey::from_header(Some(&header)), Ok(key.clone()));
        for bad in [None, Some(""), Some("Bearer"), Some(key.expose()), Some("Bearer rpk_1")] {
            assert_eq!(ReportKey::from_header(bad), Err(AuthError::InvalidReportKey), "{bad:?}");
        }
    }
}
