//! Fixed windows for rate limits.

use base16ct::lower::encode_string as hex;
use sha2::{Digest as _, Sha256};

use crate::Timestamp;

/// Length of the digest that identifies a subject, in bytes.
const SUBJECT_BYTES: usize = 16;

/// Turns external text into the subject of a counter: 32 hexadecimal digits for any text.
pub fn subject_of(text: &str) -> String {
    hex(&Sha256::digest(text)[..SUBJECT_BYTES])
}

/// A period over which requests are counted. Windows begin at multiples of their length since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    seconds: i64,
}

impl Window {
    /// 60 seconds.
    pub const MINUTE: Self = Self { seconds: 60 };
    /// 900 seconds.
    pub const QUARTER_HOUR: Self = Self { seconds: 900 };
    /// 3600 seconds; a multiple of the other windows.
    pub const HOUR: Self = Self { seconds: 3600 };

    /// The number of the window that contains `now`.
    pub const fn index(self, now: Timestamp) -> i64 {
        now.as_seconds().div_euclid(self.seconds)
    }

    /// The start of the window that contains `now`.
    pub const fn start(self, now: Timestamp) -> Timestamp {
        Timestamp::from_millis(0).plus_seconds(self.index(now) * self.seconds)
    }

    /// Whole seconds until the next window, at least 1.
    pub fn seconds_left(self, now: Timestamp) -> u32 {
        u32::try_from(self.seconds - now.as_seconds().rem_euclid(self.seconds)).unwrap_or(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_short_and_differ() {
        let long = "x".repeat(10_000);
        assert_eq!(subject_of(""), "e3b0c44298fc1c149afbf4c8996fb924");
        for text in ["a", " a", "ä/..", long.as_str()] {
            assert_eq!(subject_of(text).len(), 32, "{text}");
            assert_ne!(subject_of(text), subject_of(""), "{text}");
        }
    }

    #[test]
    fn windows() {
        for (millis, window, index, left) in [
            (0, Window::MINUTE, 0, 60),
            (59_999, Window::MINUTE, 0, 1),
            (60_000, Window::MINUTE, 1, 60),
            (899_000, Window::QUARTER_HOUR, 0, 1),
            (900_000, Window::QUARTER_HOUR, 1, 900),
            (3_599_999, Window::QUARTER_HOUR, 3, 1),
            (3_599_999, Window::HOUR, 0, 1),
            (3_600_000, Window::HOUR, 1, 3600),
        ] {
            let now = Timestamp::from_millis(millis);
            assert_eq!((window.index(now), window.seconds_left(now)), (index, left), "{millis}");
            let over = window.start(now).plus_seconds(window.seconds);
            assert!(
                window.start(now) <= now && over.as_seconds() - now.as_seconds() == i64::from(left),
                "{millis}"
            );
        }
    }
}
