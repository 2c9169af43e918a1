//! Groups of devices, such as testers. A device is in a group if it sends the group's key, or if it
//! is in the group's list.

use std::fmt;
use std::str::FromStr;

use base16ct::lower::encode_string as hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{GroupDevice, GroupDevices};

/// Maximum number of groups of an application.
pub const MAX_GROUPS: u64 = 50;
/// Maximum number of groups in an offer.
pub const MAX_GROUPS_OF_OFFER: usize = 8;
/// Maximum number of devices in the list of a group.
pub const MAX_GROUP_DEVICES: u64 = 1000;
/// Maximum number of devices in the lists of all groups that an application's releases admit: 40
/// KiB of a record.
pub const MAX_RECORD_DEVICES: u64 = 4096;

/// Prefix of keys.
const PREFIX: &str = "grp_";
const KEY_BYTES: usize = 16;

/// The key of a group, which testers type into the application. Only the first 16 bytes of its
/// SHA-256 are stored.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupKey([u8; KEY_BYTES]);

/// The text is not the key of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid group")]
pub struct InvalidGroupKey;

impl GroupKey {
    /// The text of a new key, from random bytes.
    pub fn text(random: [u8; KEY_BYTES]) -> String {
        format!("{PREFIX}{}", hex(&random))
    }

    /// A stored key. `None`: the length is wrong.
    pub fn from_digest(digest: &[u8]) -> Option<Self> {
        digest.try_into().ok().map(Self)
    }

    /// The stored part of the key.
    pub const fn digest(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }
}

impl FromStr for GroupKey {
    type Err = InvalidGroupKey;

    fn from_str(text: &str) -> Result<Self, InvalidGroupKey> {
        let is_hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        let digits = text.strip_prefix(PREFIX).ok_or(InvalidGroupKey)?;
        if digits.len() != 2 * KEY_BYTES || !digits.bytes().all(is_hex) {
            return Err(InvalidGroupKey);
        }
        let digest = Sha256::digest(text);
        digest.get(..KEY_BYTES).and_then(Self::from_digest).ok_or(InvalidGroupKey)
    }
}

/// Prints nothing that could reveal the key.
impl fmt::Debug for GroupKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GroupKey([redacted])")
    }
}

/// A group in a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordGroup {
    /// Its key.
    pub key: GroupKey,
    /// The devices in its list.
    pub devices: GroupDevices,
}

impl RecordGroup {
    /// Whether a client is in the group. `device`: its device, if it names one.
    pub fn has(&self, keys: &[GroupKey], device: Option<GroupDevice>) -> bool {
        keys.contains(&self.key) || device.is_some_and(|device| self.devices.has(device))
    }
}

/// A set of the groups of a record, by their indices in its list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupSet(u64);

impl GroupSet {
    /// Whether it has no group.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the two have a group in common.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Indices above 63 are ignored: an application has at most [`MAX_GROUPS`] groups.
impl std::ops::BitOr for GroupSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl FromIterator<usize> for GroupSet {
    fn from_iter<I: IntoIterator<Item = usize>>(places: I) -> Self {
        let bits = places.into_iter().filter_map(|place| 1_u64.checked_shl(u32::try_from(place).ok()?));
        Self(bits.fold(0, |set, bit| set | bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_kept_as_digests() {
        let text = GroupKey::text([0xab; 16]);
        let key: GroupKey = text.parse().unwrap();
        assert_eq!(key.digest()[..], Sha256::digest(&text)[..16]);
        assert_eq!(GroupKey::from_digest(key.digest()), Some(key));
        assert_eq!(GroupKey::from_digest(&[0; 15]), None);
        for wrong in ["", "grp_", &text[4..], &text[..35], &format!("{text}0"), &text.to_uppercase()] {
            assert_eq!(wrong.parse::<GroupKey>(), Err(InvalidGroupKey), "{wrong}");
        }
        assert!(!format!("{key:?}").contains(|c: char| c.is_ascii_digit()));
    }

    #[test]
    fn a_client_is_in_a_group_by_its_key_or_its_device() {
        let device = GroupDevice::from_stored;
        let [key, other] = [[1; 16], [2; 16]].map(|bytes| GroupKey::from_digest(&bytes).unwrap());
        let group = RecordGroup { key, devices: [device(3), device(7)].into_iter().collect() };
        assert!(group.has(&[other, key], None));
        assert!(group.has(&[], Some(device(7))));
        assert!(!group.has(&[other], Some(device(5))));
        assert!(!group.has(&[], None));
    }

    #[test]
    fn sets_meet_where_they_share_a_group() {
        let set = |places: &[usize]| places.iter().copied().collect::<GroupSet>();
        assert!(set(&[0, 49]).meets(set(&[49])));
        assert!(!set(&[0, 1]).meets(set(&[2, 63])));
        assert!(set(&[]).is_empty() && set(&[64, 1000]).is_empty() && !set(&[63]).is_empty());
    }
}
