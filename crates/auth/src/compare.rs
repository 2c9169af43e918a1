//! Comparing secrets.

use sha2::{Digest, Sha256};

/// Whether a given secret equals the configured one. Compares all bytes of their digests, so the time reveals
/// nothing about either. An empty `expected` means that no secret is configured, and equals nothing.
pub fn constant_time_eq(given: &str, expected: &str) -> bool {
    let (a, b) = (Sha256::digest(given), Sha256::digest(expected));
    let difference = a.iter().zip(b.iter()).fold(0_u8, |found, (x, y)| found | (x ^ y));
    std::hint::black_box(difference) == 0 && !expected.is_empty()
}

#[cfg(test)]
mod tests {
    use super::constant_time_eq;

    #[test]
    fn equal_and_configured() {
        for (given, expected, equal) in [
            ("key", "key", true),
            ("key", "kez", false),
            ("key", "key ", false),
            ("", "key", false),
            ("key", "", false),
            ("", "", false),
        ] {
            assert_eq!(constant_time_eq(given, expected), equal, "{given:?} {expected:?}");
        }
    }
}
