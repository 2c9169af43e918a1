//! Counting devices: the number that replaces a device's identifier.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::Id;

/// Maximum length of a device identifier, in characters.
pub const MAX_DEVICE_ID_LENGTH: usize = 128;

/// The text is not a device identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid device identifier")]
pub struct InvalidDeviceId;

/// A device's identifier, chosen by the client: 1-[`MAX_DEVICE_ID_LENGTH`] printable ASCII characters.
/// `Debug` hides it, because it must not be stored or logged.
#[derive(Clone, PartialEq, Eq)]
pub struct DeviceId(String);

impl DeviceId {
    /// The text, as sent.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The number that represents the device in the counts of one application: the first 64 bits of
    /// HMAC-SHA256 over the application's id and the identifier. Without `key`, nobody can test
    /// whether an identifier was counted. A device has a different number in each application.
    /// `None`: HMAC rejected the key, which does not happen with a [`DeviceHashKey`].
    pub fn number(&self, key: &DeviceHashKey, app: &Id) -> Option<i64> {
        let digest = self.keyed(key.expose(), &["telemetry", app.as_str()])?;
        let first: [u8; 8] = digest.get(..8)?.try_into().ok()?;
        Some(i64::from_be_bytes(first))
    }

    /// HMAC-SHA256 of the identifier in a context whose parts contain no line ends. `None`: the key is empty.
    pub(crate) fn keyed(&self, key: &str, context: &[&str]) -> Option<[u8; 32]> {
        if key.is_empty() {
            return None;
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).ok()?;
        for part in context {
            mac.update(part.as_bytes());
            mac.update(b"\n");
        }
        mac.update(self.0.as_bytes());
        Some(mac.finalize().into_bytes().into())
    }
}

impl FromStr for DeviceId {
    type Err = InvalidDeviceId;

    fn from_str(text: &str) -> Result<Self, InvalidDeviceId> {
        let printable = text.bytes().all(|b| (0x20..0x7f).contains(&b));
        if printable && (1..=MAX_DEVICE_ID_LENGTH).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidDeviceId)
        }
    }
}

/// The key for hashing device identifiers: any text that is not empty. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct DeviceHashKey(String);

impl DeviceHashKey {
    /// `None` for the empty text.
    pub fn new(text: &str) -> Option<Self> {
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// A new key from random bytes.
    pub fn generate(random: [u8; 32]) -> Self {
        Self(base16ct::lower::encode_string(&random))
    }

    /// The secret text.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for DeviceHashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceHashKey([redacted])")
    }
}

impl fmt::Debug for DeviceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceId([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_ids() {
        for (id, ok) in
            [("a", true), ("a b", true), ("", false), ("ä", false), ("\u{7f}", false), ("a\n", false)]
        {
            assert_eq!(id.parse::<DeviceId>().is_ok(), ok, "{id:?}");
        }
        assert!("x".repeat(128).parse::<DeviceId>().is_ok());
        assert!("x".repeat(129).parse::<DeviceId>().is_err());
        assert_eq!(format!("{:?}", "secret".parse::<DeviceId>()), "Ok(DeviceId([redacted]))");
    }

    /// Computed with `printf 'telemetry
    /// id-1
    /// device' | openssl dgst -sha256 -hmac key`.
    #[test]
    fn a_device_has_a_number_for_each_application() {
        let device: DeviceId = "device".parse().unwrap();
        let (one, other) = (Id::from_text("id-1"), Id::from_text("id-2"));
        let [key, kez] = ["key", "kez"].map(|text| DeviceHashKey::new(text).unwrap());
        assert_eq!(device.number(&key, &one).map(i64::cast_unsigned), Some(NUMBER));
        assert_ne!(device.number(&key, &one), device.number(&key, &other));
        assert_ne!(device.number(&key, &one), device.number(&kez, &one));
    }
    const NUMBER: u64 = 17_722_875_622_977_071_716;

    #[test]
    fn keys_do_not_print() {
        let key = DeviceHashKey::new("secret").unwrap();
        assert_eq!((key.expose(), format!("{key:?}").as_str()), ("secret", "DeviceHashKey([redacted])"));
        assert_eq!(DeviceHashKey::new(""), None);
        assert_eq!(DeviceHashKey::generate([0xab; 32]).expose(), "ab".repeat(32));
    }
}
