//! The secret text in a halt link: what the link stands for, and a MAC of it.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::Mac as _;
use spindrift_core::webhook::HaltLink;
use spindrift_core::{Id, Timestamp};

use crate::derived_mac::derived_mac;

/// The purpose of the derived key, with the webhook. The secret of the webhook, which its receiver knows, makes no
/// links.
const PURPOSE: &str = "spindrift halt link ";
/// Longest token, in bytes. Ours are about 100.
const MAX_BYTES: usize = 512;

/// The token of a halt link: `<webhook>.<seq>.<seconds>.<MAC>`. It halts one release, without a login. It is never
/// stored, and nothing prints it but [`expose`](Self::expose).
#[derive(Clone, PartialEq, Eq)]
pub struct HaltLinkToken(String);

impl HaltLinkToken {
    /// `None`: the service's secret is shorter than [`MIN_SECRET_BYTES`](crate::MIN_SECRET_BYTES).
    pub fn issue(service_secret: &str, link: &HaltLink) -> Option<Self> {
        let claims = format!("{}.{}.{}", link.webhook, link.seq, link.expires_at.as_seconds());
        let purpose = format!("{PURPOSE}{}", link.webhook);
        let mac = derived_mac(service_secret, &purpose, &claims)?.finalize().into_bytes();
        Some(Self(format!("{claims}.{}", URL_SAFE_NO_PAD.encode(mac))))
    }

    /// The link that a token stands for. `None`: this service did not issue the token. Compares the MAC in constant
    /// time.
    pub fn verify(service_secret: &str, token: &str) -> Option<HaltLink> {
        if token.len() > MAX_BYTES {
            return None;
        }
        let (claims, sent) = token.rsplit_once('.')?;
        let mut parts = claims.rsplitn(3, '.');
        let (seconds, seq, webhook) = (parts.next()?, parts.next()?, parts.next()?);
        let sent = URL_SAFE_NO_PAD.decode(sent).ok()?;
        derived_mac(service_secret, &format!("{PURPOSE}{webhook}"), claims)?.verify_slice(&sent).ok()?;
        Some(HaltLink {
            webhook: Id::from_text(webhook),
            seq: seq.parse().ok()?,
            expires_at: Timestamp::from_millis(0).plus_seconds(seconds.parse().ok()?),
        })
    }

    /// The secret text. It consists of letters, digits, `-`, `_` and `.`.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for HaltLinkToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HaltLinkToken([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "a secret that is long enough for it";
    const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_750);

    fn link() -> HaltLink {
        HaltLink::new(Id::from_text("0193e2a4-5c1f-7d30-9b52-7a1d4f6c8e21"), 41, NOW)
    }

    #[test]
    fn a_token_stands_for_its_link() {
        let token = HaltLinkToken::issue(SECRET, &link()).unwrap();
        assert_eq!(HaltLinkToken::verify(SECRET, token.expose()), Some(link()));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        assert!(token.expose().chars().all(is_plain), "it goes into an address as it is");
        assert_eq!(format!("{token:?}"), "HaltLinkToken([redacted])");
    }

    #[test]
    fn nothing_about_a_token_can_be_changed() {
        let token = HaltLinkToken::issue(SECRET, &link()).unwrap();
        let text = token.expose();
        for at in 0..text.len() {
            let other = if &text[at..=at] == "1" { "2" } else { "1" };
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            // The last character of 43 has bits that are not used, and must be 0.
            assert_eq!(HaltLinkToken::verify(SECRET, &changed), None, "{at}");
        }
        let (claims, _) = text.rsplit_once('.').unwrap();
        let none = format!("{claims}.");
        let long = format!("{}{text}", "0".repeat(512));
        for wrong in ["", ".", "....", claims, &none, &text[..text.len() - 1], &format!("{text}A"), &long] {
            assert_eq!(HaltLinkToken::verify(SECRET, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_the_services_secret_makes_links() {
        let token = HaltLinkToken::issue(SECRET, &link()).unwrap();
        assert_eq!(HaltLinkToken::verify(&SECRET.replace('a', "b"), token.expose()), None);
        assert_eq!(HaltLinkToken::issue("short", &link()), None);
        assert_eq!(HaltLinkToken::verify("", token.expose()), None);
    }
}
