//! Versions of operating systems.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Maximum number of numbers in a version.
const MAX_NUMBERS: usize = 4;

/// The version of an operating system in its own notation: 1 to 4 numbers separated by dots, such
/// as `10.0.19045` or `13.6`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OsVersion(Vec<u32>);

/// The text is not the version of an operating system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid os_version")]
pub struct InvalidOsVersion;

impl OsVersion {
    /// Compares only as many numbers as `other` has: `12.7` is equal to `12`. Missing numbers count
    /// as 0.
    pub fn beginning_cmp(&self, other: &Self) -> Ordering {
        let beginning = (0..other.0.len()).map(|place| self.number(place));
        beginning.cmp(other.0.iter().copied())
    }

    /// Whether this version is a prefix of `other`.
    pub(super) fn begins(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }

    /// The first version after all those with this prefix. `None`: a number would overflow.
    pub(super) fn next(&self) -> Option<Self> {
        let (last, front) = self.0.split_last()?;
        Some(Self(front.iter().copied().chain([last.checked_add(1)?]).collect()))
    }

    fn number(&self, place: usize) -> u32 {
        self.0.get(place).copied().unwrap_or_default()
    }
}

impl Ord for OsVersion {
    fn cmp(&self, other: &Self) -> Ordering {
        (0..MAX_NUMBERS)
            .map(|place| self.number(place))
            .cmp((0..MAX_NUMBERS).map(|place| other.number(place)))
    }
}

impl PartialOrd for OsVersion {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromStr for OsVersion {
    type Err = InvalidOsVersion;

    fn from_str(text: &str) -> Result<Self, InvalidOsVersion> {
        // `parse` would accept a sign.
        let is_number = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let number = |part: &str| part.parse().ok().filter(|_| is_number(part)).ok_or(InvalidOsVersion);
        let numbers: Vec<u32> = text.split('.').map(number).collect::<Result<_, _>>()?;
        if numbers.len() > MAX_NUMBERS { Err(InvalidOsVersion) } else { Ok(Self(numbers)) }
    }
}

impl TryFrom<String> for OsVersion {
    type Error = InvalidOsVersion;

    fn try_from(text: String) -> Result<Self, InvalidOsVersion> {
        text.parse()
    }
}

impl From<OsVersion> for String {
    fn from(version: OsVersion) -> Self {
        version.to_string()
    }
}

impl fmt::Display for OsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&numbers.join("."))
    }
}

impl fmt::Debug for OsVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(text: &str) -> OsVersion {
        text.parse().unwrap()
    }

    #[test]
    fn versions_are_up_to_four_numbers() {
        for text in ["13", "13.6", "10.0.19045", "10.0.19045.3086", "0"] {
            assert_eq!(v(text).to_string(), text);
        }
        for text in ["", "13.", ".6", "1.2.3.4.5", "13.6b", "+1", "-1", " 13", "99999999999"] {
            assert_eq!(text.parse::<OsVersion>(), Err(InvalidOsVersion), "{text}");
        }
    }

    #[test]
    fn versions_compare_by_numbers() {
        assert!(v("9.10") > v("9.9") && v("10") > v("9.9.9") && v("13.0.1") > v("13"));
        assert_eq!(v("13.0").cmp(&v("13")), Ordering::Equal);
        for (version, other, ordering) in [
            ("12.7", "12", Ordering::Equal),
            ("12", "12.7", Ordering::Less),
            ("13.0", "12", Ordering::Greater),
            ("13.2.1", "13.2", Ordering::Equal),
        ] {
            assert_eq!(v(version).beginning_cmp(&v(other)), ordering, "{version} {other}");
        }
    }
}
