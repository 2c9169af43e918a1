//! Staged rollout: which devices may have a release.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How far a release is rolled out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rollout {
    /// Percent of devices, 0-100; 0 is none, 100 is all.
    pub percent: u8,
    /// Gives each release its own order of devices.
    pub seed: String,
}

impl Rollout {
    /// Whether every device may have the release.
    pub const fn is_full(&self) -> bool {
        self.percent >= 100
    }

    /// Whether the device is in the rollout: its bucket is below the percentage, so raising the percentage only adds
    /// devices.
    pub fn admits(&self, device_id: &str) -> bool {
        self.is_full() || bucket(device_id, &self.seed) < self.percent
    }
}

/// The bucket of a device, 0-99: the first 8 bytes, big-endian, of SHA-256(`device_id:seed`), modulo 100.
pub fn bucket(device_id: &str, seed: &str) -> u8 {
    let digest = Sha256::new().chain_update(device_id).chain_update(":").chain_update(seed).finalize();
    let first = digest.iter().take(8).fold(0_u64, |n, b| (n << 8) | u64::from(*b));
    u8::try_from(first % 100).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with `printf 'device-1:seed' | sha256sum`, first 16 hex digits modulo 100.
    #[test]
    fn bucket_vectors() {
        for (device, seed, expected) in
            [("device-1", "seed", BUCKETS[0]), ("device-2", "seed", BUCKETS[1]), ("", "", BUCKETS[2])]
        {
            assert_eq!(bucket(device, seed), expected, "{device}:{seed}");
        }
    }
    const BUCKETS: [u8; 3] = [78, 27, 68];

    #[test]
    fn zero_is_nobody_and_a_hundred_is_everybody() {
        for n in 0..500 {
            let device = format!("d{n}");
            assert!(!Rollout { percent: 0, seed: "s".into() }.admits(&device));
            assert!(Rollout { percent: 100, seed: "s".into() }.admits(&device));
        }
    }

    /// Seeds and devices are fixed, so that the test does not depend on chance.
    #[test]
    fn of_ten_thousand_devices_the_share_that_was_set_is_inside() {
        for (percent, seed) in [(5, "a"), (25, "b"), (50, "c"), (75, "d")] {
            let rollout = Rollout { percent, seed: seed.into() };
            let inside = (0..10_000_u32).filter(|n| rollout.admits(&format!("device-{n}"))).count();
            assert!(inside.abs_diff(usize::from(percent) * 100) <= 100, "{percent} percent: {inside}");
        }
    }

    #[test]
    fn raising_only_adds() {
        for n in 0..500 {
            let device = format!("d{n}");
            let admitted: Vec<bool> =
                (0..=100).map(|percent| Rollout { percent, seed: "s".into() }.admits(&device)).collect();
            assert!(admitted.windows(2).all(|w| w[0] <= w[1]));
        }
    }
}
