//! How long metadata remains valid.

pub(crate) const DAY_SECONDS: i64 = 86_400;

/// A number of days, from 1 to 3650.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lifetime(u16);

impl Lifetime {
    /// `None` for 0, or if it is longer than any metadata may be valid.
    pub const fn from_days(days: u16) -> Option<Self> {
        if 0 < days && days <= ROOT.longest.0 { Some(Self(days)) } else { None }
    }

    pub const fn days(self) -> u16 {
        self.0
    }

    pub(crate) const fn seconds(self) -> i64 {
        self.0 as i64 * DAY_SECONDS
    }
}

/// How long metadata of one role may be valid. The minimum is one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetimes {
    /// Used without a setting.
    pub default: Lifetime,
    /// The longest that is accepted.
    pub longest: Lifetime,
}

pub(crate) const ROOT: Lifetimes = Lifetimes { default: Lifetime(730), longest: Lifetime(3650) };
/// For targets, and for the lists of channels.
pub(crate) const TARGETS: Lifetimes = Lifetimes { default: Lifetime(365), longest: Lifetime(730) };
pub(crate) const SNAPSHOT: Lifetimes = Lifetimes { default: Lifetime(30), longest: Lifetime(90) };
pub(crate) const TIMESTAMP: Lifetimes = Lifetimes { default: Lifetime(7), longest: Lifetime(30) };

impl Lifetimes {
    /// A setting in days. `None` if it is out of range.
    pub fn setting(self, days: u16) -> Option<Lifetime> {
        Lifetime::from_days(days).filter(|lifetime| *lifetime <= self.longest)
    }

    /// Whether metadata that remains valid for this many seconds from now is accepted.
    pub(crate) const fn accept(self, seconds: i64) -> bool {
        DAY_SECONDS <= seconds && seconds <= self.longest.seconds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        for (lifetimes, longest) in [(ROOT, 3650), (TARGETS, 730), (SNAPSHOT, 90), (TIMESTAMP, 30)] {
            assert_eq!(lifetimes.setting(0), None);
            assert_eq!(lifetimes.setting(1).map(Lifetime::days), Some(1));
            assert_eq!(lifetimes.setting(longest).map(Lifetime::days), Some(longest));
            assert_eq!(lifetimes.setting(longest + 1), None);
            assert!(lifetimes.default <= lifetimes.longest);
            for (seconds, accepted) in [
                (DAY_SECONDS - 1, false),
                (DAY_SECONDS, true),
                (i64::from(longest) * DAY_SECONDS, true),
                (i64::from(longest) * DAY_SECONDS + 1, false),
            ] {
                assert_eq!(lifetimes.accept(seconds), accepted, "{longest} {seconds}");
            }
        }
    }
}
