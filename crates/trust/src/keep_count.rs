//! How many releases targets metadata lists.

/// How many of the newest releases of each channel, platform and architecture are listed: 1 to 100, or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeepCount(u8);

impl KeepCount {
    /// 5, used without a setting.
    pub const DEFAULT: Self = Self(5);

    /// From a setting, where 0 means all. `None` if it is out of range.
    pub const fn from_number(number: u8) -> Option<Self> {
        if number <= 100 { Some(Self(number)) } else { None }
    }

    pub const fn number(self) -> u8 {
        self.0
    }

    /// Whether the release at this position is listed, counted from 0 for the newest.
    pub fn keeps(self, place: usize) -> bool {
        self.0 == 0 || place < usize::from(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings() {
        assert_eq!(KeepCount::from_number(101), None);
        assert_eq!(KeepCount::from_number(100).map(KeepCount::number), Some(100));
        assert_eq!(KeepCount::from_number(5), Some(KeepCount::DEFAULT));
    }
}
