//! People who sign in at a provider for single sign-on.

use std::fmt;
use std::str::FromStr;

use crate::TextRule;

/// Most bytes of an address: [RFC 5321 §4.5.3.1.3](https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1.3), without the
/// brackets.
const MAX_BYTES: usize = 254;

/// An e-mail address, in lower case: providers write the same address in different ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for EmailAddress {
    type Err = InvalidEmailAddress;

    fn from_str(text: &str) -> Result<Self, InvalidEmailAddress> {
        let is_plain =
            |part: &str| !part.is_empty() && part.chars().all(|c| !c.is_whitespace() && !c.is_control());
        let parts = text.split_once('@').filter(|(_, domain)| !domain.contains('@'));
        let is_address =
            text.len() <= MAX_BYTES && parts.is_some_and(|(name, domain)| is_plain(name) && is_plain(domain));
        if is_address { Ok(Self(text.to_lowercase())) } else { Err(InvalidEmailAddress) }
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TextRule for EmailAddress {
    const RULE: &'static str = "an e-mail address";
}

/// The text does not have the form of an [`EmailAddress`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidEmailAddress;

/// An account at a provider. Only both together name it, and it keeps its name when its e-mail address changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SsoIdentity {
    /// The provider's issuer.
    pub issuer: String,
    /// The account there.
    pub subject: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, expected) in [
            ("ada@example.com", Some("ada@example.com")),
            ("Ada.L+x@Example.COM", Some("ada.l+x@example.com")),
            ("ada", None),
            ("@example.com", None),
            ("ada@", None),
            ("ada@b@c", None),
            ("a da@example.com", None),
            ("ada@example.com\n", None),
            (&format!("{}@example.com", "a".repeat(250)), None),
        ] {
            assert_eq!(
                text.parse::<EmailAddress>().ok().as_ref().map(EmailAddress::as_str),
                expected,
                "{text}"
            );
        }
    }
}
