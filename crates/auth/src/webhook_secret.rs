//! The secrets of webhooks, and the signatures of what they send: the [Standard
//! Webhooks](https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use spindrift_core::Id;

use crate::MIN_SECRET_BYTES;

/// Bytes of a secret.
const BYTES: usize = 24;
/// The start of a secret's text.
const PREFIX: &str = "whsec_";
/// The purpose of the derived key, so that no other use of the same secret gives the same bytes.
const LABEL: &str = "spindrift webhook ";

/// The secret of a webhook. It is derived from the service's secret and the webhook's id, and never
/// stored.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookSecret([u8; BYTES]);

impl WebhookSecret {
    /// HKDF-SHA-256 ([RFC 5869](https://www.rfc-editor.org/rfc/rfc5869)) without salt. `None`: the service's
    /// secret is shorter than [`MIN_SECRET_BYTES`].
    pub fn derive(service_secret: &str, webhook: &Id) -> Option<Self> {
        if service_secret.len() < MIN_SECRET_BYTES {
            return None;
        }
        let mut bytes = [0; BYTES];
        let info = format!("{LABEL}{webhook}");
        Hkdf::<Sha256>::new(None, service_secret.as_bytes()).expand(info.as_bytes(), &mut bytes).ok()?;
        Some(Self(bytes))
    }

    /// The text for the receiver: `whsec_` and base64.
    pub fn expose(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0))
    }

    /// The header `webhook-signature` of a message: `v1,` and base64 of the HMAC-SHA-256 of
    /// `id.seconds.body`. `seconds` is Unix time.
    pub fn sign(&self, message: &str, seconds: i64, body: &[u8]) -> Option<String> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        mac.update(format!("{message}.{seconds}.").as_bytes());
        mac.update(body);
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> WebhookSecret {
        let text = "c3BpbmRyaWZ0LXRlc3Qta2V5LTI0Ynl0";
        WebhookSecret(STANDARD.decode(text).unwrap().try_into().unwrap())
    }

    #[test]
    fn signatures_are_those_of_standard_webhooks() {
        let signed = secret().sign("w1.7", 1_795_225_422, br#"{"seq":7}"#);
        assert_eq!(signed.as_deref(), Some("v1,PoDgbOXyf0PB7veykSgvJpjOX9uPxtWufCs7MD4gUW0="));
        assert_eq!(secret().expose(), "whsec_c3BpbmRyaWZ0LXRlc3Qta2V5LTI0Ynl0");
    }

    #[test]
    fn each_webhook_has_a_secret_of_its_own() {
        let of = |secret: &str, id: &str| WebhookSecret::derive(secret, &Id::from_text(id));
        let [one, other] = ["a", "b"].map(|letter| letter.repeat(MIN_SECRET_BYTES));
        assert!(of(&one, "1").is_some() && of(&one, "1") == of(&one, "1"));
        assert_ne!(of(&one, "1"), of(&one, "2"));
        assert_ne!(of(&one, "1"), of(&other, "1"));
        assert_eq!(of(&one[1..], "1"), None);
        assert_eq!(format!("{:?}", secret()), "WebhookSecret([redacted])");
    }
}
