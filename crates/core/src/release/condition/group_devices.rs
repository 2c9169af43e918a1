//! The devices in the list of a group.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::Id;

/// A device in the list of a group: the first 8 bytes of SHA-256(`group:<app id>:<device id>`), big-endian.
/// It needs no secret, because edges have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupDevice(u64);

impl GroupDevice {
    const BYTES: usize = 8;

    /// A device of an application.
    pub fn of(app: &Id, device_id: &str) -> Self {
        let digest = Sha256::digest(format!("group:{app}:{device_id}"));
        Self(digest.iter().take(8).fold(0, |n, b| (n << 8) | u64::from(*b)))
    }

    /// From its form in the database.
    pub const fn from_stored(stored: i64) -> Self {
        Self(stored.cast_unsigned())
    }

    /// For the database.
    pub const fn to_stored(self) -> i64 {
        self.0.cast_signed()
    }

    const fn to_bytes(self) -> [u8; Self::BYTES] {
        self.0.to_be_bytes()
    }
}

/// The devices in the list of a group, as the bytes of their digests in ascending order. Every
/// check reads them with its record, but few search them, so they are a single value that is copied
/// as a whole. In JSON it is hexadecimal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupDevices(Vec<u8>);

impl GroupDevices {
    /// Whether a device is in the list.
    pub fn has(&self, device: GroupDevice) -> bool {
        self.0.as_chunks().0.binary_search(&device.to_bytes()).is_ok()
    }

    fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        bytes.as_chunks::<{ GroupDevice::BYTES }>().1.is_empty().then_some(Self(bytes))
    }
}

impl FromIterator<GroupDevice> for GroupDevices {
    fn from_iter<I: IntoIterator<Item = GroupDevice>>(devices: I) -> Self {
        let mut digests: Vec<_> = devices.into_iter().map(GroupDevice::to_bytes).collect();
        digests.sort_unstable();
        Self(digests.concat())
    }
}

impl Serialize for GroupDevices {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.serialize_str(&base16ct::lower::encode_string(&self.0))
        } else {
            serializer.serialize_bytes(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for GroupDevices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(GroupDevicesVisitor)
        } else {
            deserializer.deserialize_bytes(GroupDevicesVisitor)
        }
    }
}

struct GroupDevicesVisitor;

impl Visitor<'_> for GroupDevicesVisitor {
    type Value = GroupDevices;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "digests of {} bytes", GroupDevice::BYTES)
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<GroupDevices, E> {
        GroupDevices::from_bytes(bytes.to_vec()).ok_or_else(|| E::invalid_length(bytes.len(), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<GroupDevices, E> {
        let bytes = base16ct::lower::decode_vec(text).map_err(E::custom)?;
        self.visit_bytes(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_device_has_one_digest_in_an_application() {
        let device = GroupDevice::of(&Id::from_text("app"), "device-1");
        assert_eq!(device, GroupDevice(0xfbd4_72f0_072a_18e7));
        assert_eq!(GroupDevice::from_stored(device.to_stored()), device);
        assert!(device.to_stored() < 0);
    }

    #[test]
    fn devices_are_found_whatever_their_order_was() {
        let devices: Vec<_> = [-1, 0, 7, i64::MIN, 300].map(GroupDevice::from_stored).into();
        let list: GroupDevices = devices.iter().copied().collect();
        assert!(devices.iter().all(|&device| list.has(device)));
        assert!(!list.has(GroupDevice::from_stored(1)) && !GroupDevices::default().has(devices[1]));
    }

    #[test]
    fn lists_round_trip_and_others_are_refused() {
        let list: GroupDevices = [7, 1].map(GroupDevice::from_stored).into_iter().collect();
        let json = json!("00000000000000010000000000000007");
        assert_eq!(serde_json::to_value(&list).unwrap(), json);
        assert_eq!(serde_json::from_value::<GroupDevices>(json).unwrap(), list);
        for wrong in [json!("00"), json!("x000000000000000"), json!("000000000000000"), json!([1])] {
            assert!(serde_json::from_value::<GroupDevices>(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
