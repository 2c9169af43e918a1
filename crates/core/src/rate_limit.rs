//! Fixed windows.

use crate::Timestamp;

/// A length of time by which requests are counted. Windows begin at multiples of their length since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    seconds: i64,
}

impl Window {
    /// 60 seconds.
    pub const MINUTE: Self = Self { seconds: 60 };
    /// 3600 seconds; holds whole [`Window::MINUTE`]s.
    pub const HOUR: Self = Self { seconds: 3600 };

    /// The number of the window that `now` is in.
    pub const fn index(self, now: Timestamp) -> i64 {
        now.as_seconds().div_euclid(self.seconds)
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
    fn windows() {
        for (millis, window, index, left) in [
            (0, Window::MINUTE, 0, 60),
            (59_999, Window::MINUTE, 0, 1),
            (60_000, Window::MINUTE, 1, 60),
            (3_599_999, Window::HOUR, 0, 1),
            (3_600_000, Window::HOUR, 1, 3600),
        ] {
            let now = Timestamp::from_millis(millis);
            assert_eq!((window.index(now), window.seconds_left(now)), (index, left), "{millis}");
        }
    }
}
