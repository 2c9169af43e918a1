//! The token in each form, which stops other sites from sending it. It is a MAC under the cookie:
//! computing it requires the cookie, and it does not reveal the cookie.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::cookies::SessionToken;

/// The name of the form field.
pub(crate) const FIELD: &str = "form_token";

/// The token for forms that are shown to the holder of a cookie.
#[derive(Clone)]
pub(crate) struct FormToken(Hmac<Sha256>);

impl FormToken {
    /// Never `None`: HMAC accepts keys of any length.
    pub(crate) fn of(cookie: &SessionToken) -> Option<Self> {
        let mac = Hmac::<Sha256>::new_from_slice(cookie.expose().as_bytes()).ok()?;
        Some(Self(mac.chain_update(b"spindrift console form")))
    }

    /// The text of the field, in hex.
    pub(crate) fn text(&self) -> String {
        let mut text = String::with_capacity(64);
        spindrift_web::response::push_hex(&mut text, &self.0.clone().finalize().into_bytes());
        text
    }

    /// Whether `sent` is the token. Takes constant time for texts of the same length.
    pub(crate) fn matches(&self, sent: &str) -> bool {
        let bytes: Option<Vec<u8>> = (0..sent.len() / 2)
            .map(|i| sent.get(2 * i..2 * i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
            .collect();
        bytes.is_some_and(|bytes| sent.len().is_multiple_of(2) && self.0.clone().verify_slice(&bytes).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_belongs_to_its_cookie() {
        let of = |cookie: &str| FormToken::of(&SessionToken::new(cookie).unwrap()).unwrap();
        let token = of("a.b.c").text();
        assert!(of("a.b.c").matches(&token));
        assert!(!of("a.b.d").matches(&token));
        for wrong in ["", "0", "zz", "é", &token[2..], &format!("{token}0")] {
            assert!(!of("a.b.c").matches(wrong), "{wrong}");
        }
    }
}
