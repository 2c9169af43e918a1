//! Devices that have already failed.

use crate::{DeviceHashKey, DeviceId};

/// Length of the bits in bytes: one bit for each 16-bit value.
const BITS_BYTES: usize = 8 * 1024;
/// Length of the number before them, in bytes.
const NUMBER_BYTES: usize = 8;

/// A set of devices, which determines whether a report is the first of its device.
///
/// A device is one of 65,536 bits. Which one depends on the set's random number, so sets cannot be
/// compared with each other. Two devices with the same bit count as one, which only makes the guard
/// slower.
#[derive(Clone, PartialEq, Eq)]
pub struct FailingDevices {
    bytes: Vec<u8>,
}

impl FailingDevices {
    /// An empty set with a random number.
    pub fn new(random: [u8; NUMBER_BYTES]) -> Self {
        let mut bytes = random.to_vec();
        bytes.resize(NUMBER_BYTES + BITS_BYTES, 0);
        Self { bytes }
    }

    /// The set with these bytes. `None`: the bytes are not a set.
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        (bytes.len() == NUMBER_BYTES + BITS_BYTES).then_some(Self { bytes })
    }

    /// The bytes to keep.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The random number, in 16 hexadecimal digits. A set that replaces a lost one has another
    /// number.
    pub fn number(&self) -> String {
        base16ct::lower::encode_string(self.bytes.get(..NUMBER_BYTES).unwrap_or_default())
    }

    /// Adds a device, and returns whether it is new. Without a key, anyone with the set and an
    /// identifier can test whether the device is in it.
    pub fn add(&mut self, device: &DeviceId, key: Option<&DeviceHashKey>) -> bool {
        let number = self.number();
        let key = key.map_or(number.as_str(), DeviceHashKey::expose);
        let Some([high, low, ..]) = device.keyed(key, &["failing", &number]) else { return false };
        let bit = usize::from(u16::from_be_bytes([high, low]));
        let Some(byte) = self.bytes.get_mut(NUMBER_BYTES + bit / 8) else { return false };
        let mask = 1 << (bit % 8);
        let is_new = *byte & mask == 0;
        *byte |= mask;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(text: &str) -> DeviceId {
        text.parse().unwrap()
    }

    #[test]
    fn a_device_is_new_once() {
        let key = DeviceHashKey::new("key");
        for key in [key.as_ref(), None] {
            let mut set = FailingDevices::new([7; 8]);
            assert!(set.add(&device("a"), key));
            assert!(!set.add(&device("a"), key));
            assert!(set.add(&device("b"), key));
            let mut kept = FailingDevices::from_bytes(set.as_bytes().to_vec()).unwrap();
            assert!(!kept.add(&device("b"), key));
            assert_eq!(kept.number(), "0707070707070707");
        }
        assert!(FailingDevices::from_bytes(vec![0; 8192]).is_none());
    }

    #[test]
    fn sets_have_their_own_bits() {
        let bits = |random| {
            let mut set = FailingDevices::new([random; 8]);
            (0..100).for_each(|n| _ = set.add(&device(&format!("d{n}")), None));
            set.as_bytes()[8..].to_vec()
        };
        assert_ne!(bits(1), bits(2));
        let different = bits(1).iter().map(|byte| byte.count_ones()).sum::<u32>();
        assert!((98..=100).contains(&different), "{different}");
    }
}
