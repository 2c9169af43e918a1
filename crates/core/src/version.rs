//! Versions: dotted numbers or [SemVer 2.0](https://semver.org/spec/v2.0.0.html), in one order.
//!
//! `1.2.3-4` fits both grammars: as numbers it would be newer than `1.2.3`, as SemVer it is older. A text of digits, `.`
//! and `-` with exactly three parts before its first hyphen is SemVer; every other such text is dotted numbers (`1-2-3`
//! is `1.2.3`). The rule depends on the text alone, so a version means the same in every application. To add a fourth
//! number, write `1.2.3.4`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Longest version, in characters.
pub const MAX_VERSION_LENGTH: usize = 64;
/// Most number parts of a version.
const MAX_PARTS: usize = 6;
/// Most digits of a number part.
const MAX_PART_DIGITS: usize = 18;

/// A text that is not a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid version")]
pub struct InvalidVersion;

/// A version in normal form. Two spellings with the same order are the same version, with any build metadata.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version {
    parts: [u64; MAX_PARTS],
    text: String,
    /// The range of the pre-release in `text`, without its `-`; empty if there is none.
    pre_release: std::ops::Range<usize>,
}

impl Version {
    /// The normal form: no leading `v`, no leading zeros, number parts separated by `.`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    fn pre_release(&self) -> &str {
        self.text.get(self.pre_release.clone()).unwrap_or_default()
    }

    /// Whether the version has a pre-release part.
    pub fn is_pre_release(&self) -> bool {
        !self.pre_release.is_empty()
    }

    /// A text whose byte order is the version order. The database sorts and compares by it.
    pub fn sort_key(&self) -> String {
        use std::fmt::Write as _;
        let mut key = String::with_capacity(MAX_PARTS * (MAX_PART_DIGITS + 1) + 64);
        for part in self.parts {
            let _ = write!(key, "{part:018}.");
        }
        if !self.is_pre_release() {
            key.push('~');
            return key;
        }
        for (i, identifier) in self.pre_release().split('.').enumerate() {
            // A space sorts below every character of an identifier, so a version with fewer identifiers comes first.
            key.push_str(if i == 0 { "-" } else { " " });
            if is_number(identifier) {
                let _ = write!(key, "0{:02}{identifier}", identifier.len());
            } else {
                key.push('1');
                key.push_str(identifier);
            }
        }
        key
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The number parts of a version: their values, and their text without leading zeros.
#[derive(Default)]
struct Numbers {
    parts: [u64; MAX_PARTS],
    count: usize,
    text: String,
}

impl Numbers {
    fn parse<'a>(mut texts: impl Iterator<Item = &'a str>) -> Result<Self, InvalidVersion> {
        let mut numbers = Self { text: String::with_capacity(MAX_VERSION_LENGTH), ..Self::default() };
        texts.try_for_each(|text| numbers.push(text))?;
        Ok(numbers)
    }

    fn push(&mut self, text: &str) -> Result<(), InvalidVersion> {
        if !is_number(text) {
            return Err(InvalidVersion);
        }
        let digits = match text.trim_start_matches('0') {
            "" => "0",
            digits => digits,
        };
        if digits.len() > MAX_PART_DIGITS {
            return Err(InvalidVersion);
        }
        let part = self.parts.get_mut(self.count).ok_or(InvalidVersion)?;
        *part = digits.parse().map_err(|_| InvalidVersion)?;
        if self.count > 0 {
            self.text.push('.');
        }
        self.text.push_str(digits);
        self.count += 1;
        Ok(())
    }
}

/// Dot-separated identifiers of `[0-9A-Za-z-]`, none empty.
fn are_identifiers(text: &str) -> bool {
    text.split('.').all(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

/// Strips leading zeros from numeric identifiers. SemVer forbids such zeros, but other tools write them.
fn normal_pre_release(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for (i, identifier) in text.split('.').enumerate() {
        if i > 0 {
            normal.push('.');
        }
        if is_number(identifier) {
            let digits = identifier.trim_start_matches('0');
            normal.push_str(if digits.is_empty() { "0" } else { digits });
        } else {
            normal.push_str(identifier);
        }
    }
    normal
}

impl FromStr for Version {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        if text.is_empty() || text.len() > MAX_VERSION_LENGTH {
            return Err(InvalidVersion);
        }
        let bare = text.strip_prefix(['v', 'V']).unwrap_or(text);
        // `1-2-3` is dotted numbers; `1.2.3-4` has three parts before the hyphen and is SemVer.
        if let Some(numbers) = dotted_numbers(bare)? {
            return Ok(Self::assemble(numbers, "", ""));
        }
        let (rest, build) = bare.split_once('+').map_or((bare, None), |(r, b)| (r, Some(b)));
        let (core, pre) = rest.split_once('-').map_or((rest, None), |(c, p)| (c, Some(p)));
        let numbers = Numbers::parse(core.split('.'))?;
        if pre.is_some_and(|p| !are_identifiers(p)) || build.is_some_and(|b| !are_identifiers(b)) {
            return Err(InvalidVersion);
        }
        Ok(Self::assemble(numbers, &normal_pre_release(pre.unwrap_or_default()), build.unwrap_or_default()))
    }
}

/// The numbers of a version made only of digits, `.` and `-`. `None` for a SemVer core of three parts with a numeric
/// pre-release (`1.2.3-4`), which is read as SemVer.
fn dotted_numbers(text: &str) -> Result<Option<Numbers>, InvalidVersion> {
    if !text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-') {
        return Ok(None);
    }
    let semver = text.split_once('-').is_some_and(|(core, _)| core.split('.').count() == 3);
    if semver { Ok(None) } else { Numbers::parse(text.split(['.', '-'])).map(Some) }
}

impl Version {
    fn assemble(numbers: Numbers, pre_release: &str, build: &str) -> Self {
        let Numbers { parts, mut text, .. } = numbers;
        let mut range = 0..0;
        if !pre_release.is_empty() {
            text.push('-');
            range = text.len()..text.len() + pre_release.len();
            text.push_str(pre_release);
        }
        if !build.is_empty() {
            text.push('+');
            text.push_str(build);
        }
        Self { parts, text, pre_release: range }
    }
}

impl Ord for Version {
    /// Compares number parts as numbers, with missing ones as 0, then pre-releases by [SemVer
    /// precedence](https://semver.org/spec/v2.0.0.html#spec-item-11). Build metadata does not count.
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts.cmp(&other.parts).then_with(|| match (self.is_pre_release(), other.is_pre_release()) {
            (false, false) => Ordering::Equal,
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (true, true) => compare_pre_releases(self.pre_release(), other.pre_release()),
        })
    }
}

fn compare_pre_releases(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) => {
                let order = match (is_number(x), is_number(y)) {
                    (true, true) => x.len().cmp(&y.len()).then_with(|| x.cmp(y)),
                    (true, false) => Ordering::Less,
                    (false, true) => Ordering::Greater,
                    (false, false) => x.cmp(y),
                };
                if order != Ordering::Equal {
                    return order;
                }
            }
        }
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl TryFrom<String> for Version {
    type Error = InvalidVersion;
    fn try_from(text: String) -> Result<Self, InvalidVersion> {
        text.parse()
    }
}

impl From<Version> for String {
    fn from(version: Version) -> Self {
        version.text
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(text: &str) -> Version {
        text.parse().unwrap_or_else(|_| panic!("{text} is a version"))
    }

    #[test]
    fn normal_forms() {
        for (given, normal) in [
            ("0.0.0.5", "0.0.0.5"),
            ("1-2-3", "1.2.3"),
            ("v1.4.0-beta.2+5", "1.4.0-beta.2+5"),
            ("1.2.3-4", "1.2.3-4"),
            ("1.2-3", "1.2.3"),
            ("01.002", "1.2"),
            ("1.0.0-rc.01", "1.0.0-rc.1"),
            ("1.0.0+build-7", "1.0.0+build-7"),
            ("2.0-beta", "2.0-beta"),
            ("1.2.3.4-rc", "1.2.3.4-rc"),
        ] {
            assert_eq!(v(given).as_str(), normal, "{given}");
        }
    }

    #[test]
    fn refused() {
        let long = format!("1.0.0-{}", "a".repeat(60));
        for bad in [
            "",
            "v",
            "a",
            "1.",
            ".1",
            "1..2",
            "1.2.3-",
            "1.2.3+",
            "1.2.3-a..b",
            "1.2.3-ä",
            "1 2",
            "1.2.3.4.5.6.7",
            "1234567890123456789",
            "1.2.x",
            "-1",
            "1.0.0+a+b",
            "1/2",
            long.as_str(),
        ] {
            assert_eq!(bad.parse::<Version>(), Err(InvalidVersion), "{bad:?}");
        }
    }

    /// Strictly increasing: SemVer's own example, and difficult cases from real feeds.
    const ORDER: [&str; 17] = [
        "0.0.0.5",
        "0.9",
        "1.0.0-1",
        "1.0.0-2",
        "1.0.0-10",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-alpha-x",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.0.1",
        "1.10",
        "999999999999999999.0",
    ];

    #[test]
    fn order_is_total_and_the_sort_key_agrees() {
        for (i, a) in ORDER.iter().enumerate() {
            for (j, b) in ORDER.iter().enumerate() {
                assert_eq!(v(a).cmp(&v(b)), i.cmp(&j), "{a} {b}");
                assert_eq!(v(a).sort_key().cmp(&v(b).sort_key()), i.cmp(&j), "keys of {a} {b}");
            }
        }
    }

    #[test]
    fn spellings_of_one_version() {
        for (a, b) in [("1.2", "1.2.0.0"), ("v1.0.0", "1.0.0"), ("1.0.0+1", "1.0.0+2"), ("1-2", "1.2.0")] {
            assert_eq!(v(a), v(b));
            assert_eq!(v(a).sort_key(), v(b).sort_key());
        }
    }
}
