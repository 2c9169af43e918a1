//! MACs under keys that are derived from the service's secret.

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::MIN_SECRET_BYTES;

/// Bytes of a key.
const KEY_BYTES: usize = 32;

/// HMAC-SHA-256 of `text` under the key for a purpose: HKDF-SHA-256 ([RFC
/// 5869](https://www.rfc-editor.org/rfc/rfc5869)) without salt. No other purpose gives the same bytes. `None`:
/// the secret is shorter than [`MIN_SECRET_BYTES`].
pub(crate) fn derived_mac(service_secret: &str, purpose: &str, text: &str) -> Option<Hmac<Sha256>> {
    if service_secret.len() < MIN_SECRET_BYTES {
        return None;
    }
    let mut key = [0; KEY_BYTES];
    Hkdf::<Sha256>::new(None, service_secret.as_bytes()).expand(purpose.as_bytes(), &mut key).ok()?;
    Some(Hmac::<Sha256>::new_from_slice(&key).ok()?.chain_update(text))
}
