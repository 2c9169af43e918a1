//! Versions: dotted numbers, [SemVer 2.0](https://semver.org/spec/v2.0.0.html) or the form of
//! Apple's tools, in one order. `docs/versions.md` describes them for users.
//!
//! `1.2.3-4` fits both grammars: as numbers it would be newer than `1.2.3`, as SemVer it is older. A text of
//! digits, `.` and `-` with exactly three parts before its first hyphen is SemVer; every other such text is
//! dotted numbers (`1-2-3` is `1.2.3`). The rule depends on the text alone, so a version means the same in
//! every application. To add a fourth number, write `1.2.3.4`.
//!
//! Apple's form appends a stage and its number to the last number part: `2.0b3`. It is the
//! pre-release `beta.3` of `2.0`, but keeps its own spelling, because copies report it that way.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Maximum length of a version, in characters.
pub const MAX_VERSION_LENGTH: usize = 64;
/// Maximum number of number parts.
const MAX_PARTS: usize = 6;
/// Maximum number of digits in a number part.
const MAX_PART_DIGITS: usize = 18;

/// The stages that may follow the last number part, case-insensitive, and the pre-release that each
/// one means. An upper-case identifier sorts below all lower-case ones, so `d` (development) comes
/// first. Longer words are tried first.
const STAGES: [(&str, &str); 7] = [
    ("alpha", "alpha"),
    ("beta", "beta"),
    ("fc", "rc"),
    ("rc", "rc"),
    ("a", "alpha"),
    ("b", "beta"),
    ("d", "D"),
];

/// Why a text is not a version. The messages name the page that describes versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidVersion {
    /// The text is empty.
    #[error("invalid version: it is empty; see docs/versions.md")]
    Empty,
    /// The text has more than [`MAX_VERSION_LENGTH`] characters.
    #[error("invalid version: it has more than {MAX_VERSION_LENGTH} characters; see docs/versions.md")]
    TooLong,
    /// The text has a character that no version contains.
    #[error(
        "invalid version: {0:?} is not allowed, only letters, digits and the characters . - +; see docs/versions.md"
    )]
    Character(char),
    /// The text does not begin with numbers separated by dots.
    #[error(
        "invalid version: a part before the first - or + is not a number, as in 1.4.0, 1.4.0-beta.2 or 1.4b2; see \
         docs/versions.md"
    )]
    NotNumbers,
    /// A number part has more than `MAX_PART_DIGITS` digits.
    #[error("invalid version: a number has more than {MAX_PART_DIGITS} digits; see docs/versions.md")]
    LongNumber,
    /// There are more than `MAX_PARTS` number parts.
    #[error("invalid version: it has more than {MAX_PARTS} numbers; see docs/versions.md")]
    TooManyNumbers,
    /// A part of the pre-release or of the build is empty.
    #[error("invalid version: nothing follows a - or + or a dot after it; see docs/versions.md")]
    EmptyIdentifier,
    /// There are two `+`.
    #[error("invalid version: it has more than one +; see docs/versions.md")]
    TwoBuilds,
    /// A pre-release follows one in Apple's form.
    #[error("invalid version: it has two pre-releases, as in 1.4b2-rc.1; see docs/versions.md")]
    TwoPreReleases,
}

/// A version in normal form. Two spellings with the same order are the same version, with any build
/// metadata.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version {
    parts: [u64; MAX_PARTS],
    text: String,
    /// The pre-release in SemVer's form, which determines the order. Empty: none.
    pre_release: String,
}

impl Version {
    /// The normal form: no leading `v`, no leading zeros, number parts separated by `.`, Apple's stages in
    /// lower case.
    pub fn as_str(&self) -> &str {
        &self.text
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
        for (i, identifier) in self.pre_release.split('.').enumerate() {
            // A space sorts below every character of an identifier, so a version with fewer identifiers comes
            // first.
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
struct VersionNumbers {
    parts: [u64; MAX_PARTS],
    count: usize,
    text: String,
}

impl VersionNumbers {
    fn parse<'a>(mut texts: impl Iterator<Item = &'a str>) -> Result<Self, InvalidVersion> {
        let mut numbers = Self { text: String::with_capacity(MAX_VERSION_LENGTH), ..Self::default() };
        texts.try_for_each(|text| numbers.push(text))?;
        Ok(numbers)
    }

    fn push(&mut self, text: &str) -> Result<(), InvalidVersion> {
        if !is_number(text) {
            return Err(InvalidVersion::NotNumbers);
        }
        let digits = without_zeros(text);
        if digits.len() > MAX_PART_DIGITS {
            return Err(InvalidVersion::LongNumber);
        }
        let part = self.parts.get_mut(self.count).ok_or(InvalidVersion::TooManyNumbers)?;
        *part = digits.parse().map_err(|_| InvalidVersion::LongNumber)?;
        if self.count > 0 {
            self.text.push('.');
        }
        self.text.push_str(digits);
        self.count += 1;
        Ok(())
    }
}

/// Requires dot-separated identifiers that are not empty.
fn check_identifiers(text: &str) -> Result<(), InvalidVersion> {
    if text.split('.').any(str::is_empty) { Err(InvalidVersion::EmptyIdentifier) } else { Ok(()) }
}

/// A stage in Apple's form, with its number.
struct Stage<'a> {
    /// The word in lower case.
    word: &'static str,
    /// The SemVer identifier that it means.
    means: &'static str,
    number: &'a str,
}

/// Splits `2.0b3` into `2.0` and `b3`. `None`: the text does not end with a stage.
fn split_stage(core: &str) -> Option<(&str, Stage<'_>)> {
    let before = core.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = core.get(before.len()..).filter(|number| !number.is_empty())?;
    let stage = |(word, means): &(&'static str, &'static str)| {
        let at = before.len().checked_sub(word.len())?;
        let (numbers, written) = before.split_at_checked(at)?;
        let is_it = written.eq_ignore_ascii_case(word) && numbers.ends_with(|c: char| c.is_ascii_digit());
        is_it.then_some((numbers, Stage { word, means, number: without_zeros(number) }))
    };
    STAGES.iter().find_map(stage)
}

fn without_zeros(digits: &str) -> &str {
    match digits.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    }
}

/// Removes leading zeros from numeric identifiers. SemVer forbids them, but other tools write them.
fn normal_pre_release(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for (i, identifier) in text.split('.').enumerate() {
        if i > 0 {
            normal.push('.');
        }
        normal.push_str(if is_number(identifier) { without_zeros(identifier) } else { identifier });
    }
    normal
}

impl FromStr for Version {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        if text.is_empty() {
            return Err(InvalidVersion::Empty);
        }
        if text.len() > MAX_VERSION_LENGTH {
            return Err(InvalidVersion::TooLong);
        }
        let is_of_version = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
        if let Some(other) = text.chars().find(|c| !is_of_version(*c)) {
            return Err(InvalidVersion::Character(other));
        }
        let bare = text.strip_prefix(['v', 'V']).unwrap_or(text);
        // `1-2-3` is dotted numbers; `1.2.3-4` has three parts before the hyphen and is SemVer.
        if let Some(numbers) = dotted_numbers(bare)? {
            return Ok(Self { parts: numbers.parts, text: numbers.text, pre_release: String::new() });
        }
        let (rest, build) = bare.split_once('+').map_or((bare, None), |(r, b)| (r, Some(b)));
        if build.is_some_and(|build| build.contains('+')) {
            return Err(InvalidVersion::TwoBuilds);
        }
        build.map_or(Ok(()), check_identifiers)?;
        let (core, pre) = rest.split_once('-').map_or((rest, None), |(c, p)| (c, Some(p)));
        let (core, stage) = split_stage(core).map_or((core, None), |(core, stage)| (core, Some(stage)));
        let VersionNumbers { parts, mut text, .. } = VersionNumbers::parse(core.split('.'))?;
        let pre_release = match (pre, stage) {
            (Some(_), Some(_)) => return Err(InvalidVersion::TwoPreReleases),
            (Some(pre), None) => {
                check_identifiers(pre)?;
                let pre = normal_pre_release(pre);
                text.push('-');
                text.push_str(&pre);
                pre
            }
            (None, Some(Stage { word, means, number })) => {
                text.push_str(word);
                text.push_str(number);
                format!("{means}.{number}")
            }
            (None, None) => String::new(),
        };
        if let Some(build) = build {
            text.push('+');
            text.push_str(build);
        }
        Ok(Self { parts, text, pre_release })
    }
}

/// The numbers of a version that consists of digits, `.` and `-`. `None` for a SemVer core of three
/// parts with a numeric pre-release (`1.2.3-4`), which is parsed as SemVer.
fn dotted_numbers(text: &str) -> Result<Option<VersionNumbers>, InvalidVersion> {
    if !text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-') {
        return Ok(None);
    }
    let semver = text.split_once('-').is_some_and(|(core, _)| core.split('.').count() == 3);
    if semver { Ok(None) } else { VersionNumbers::parse(text.split(['.', '-'])).map(Some) }
}

impl Ord for Version {
    /// Compares number parts as numbers, with missing ones as 0, then pre-releases by [SemVer
    /// precedence](https://semver.org/spec/v2.0.0.html#spec-item-11). Ignores build metadata.
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts.cmp(&other.parts).then_with(|| match (self.is_pre_release(), other.is_pre_release()) {
            (false, false) => Ordering::Equal,
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (true, true) => compare_pre_releases(&self.pre_release, &other.pre_release),
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
            ("2.0b3", "2.0b3"),
            ("v3.07.0Beta011+4", "3.7.0beta11+4"),
            ("1.0fc2", "1.0fc2"),
            ("1d0", "1d0"),
        ] {
            assert_eq!(v(given).as_str(), normal, "{given}");
        }
    }

    #[test]
    fn refused() {
        use InvalidVersion::{
            Character, Empty, EmptyIdentifier, LongNumber, NotNumbers, TooLong, TooManyNumbers, TwoBuilds,
            TwoPreReleases,
        };
        let long = format!("1.0.0-{}", "a".repeat(60));
        for (bad, why) in [
            ("", Empty),
            ("v", NotNumbers),
            ("a", NotNumbers),
            ("latest", NotNumbers),
            ("1.", NotNumbers),
            (".1", NotNumbers),
            ("1..2", NotNumbers),
            ("1.2.x", NotNumbers),
            ("-1", NotNumbers),
            ("2.0b", NotNumbers),
            ("b3", NotNumbers),
            ("2.0.b3", NotNumbers),
            ("2.0g3", NotNumbers),
            ("2.0b3.1", NotNumbers),
            ("2.0b3d4", NotNumbers),
            ("2.0b3-rc.1", TwoPreReleases),
            ("1.2.3-", EmptyIdentifier),
            ("1.2.3+", EmptyIdentifier),
            ("1.2.3-a..b", EmptyIdentifier),
            ("1.2.3-ä", Character('ä')),
            ("1 2", Character(' ')),
            ("1/2", Character('/')),
            ("1.2.3.4.5.6.7", TooManyNumbers),
            ("1234567890123456789", LongNumber),
            ("1.0.0+a+b", TwoBuilds),
            (long.as_str(), TooLong),
        ] {
            assert_eq!(bad.parse::<Version>(), Err(why), "{bad:?}");
        }
        let text = Character(' ').to_string();
        assert!(text.starts_with("invalid version: ' ' is not allowed, only "), "{text}");
        assert!(text.ends_with("; see docs/versions.md"), "{text}");
    }

    /// Strictly increasing: SemVer's own example, and difficult cases from real feeds.
    const ORDER: [&str; 28] = [
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
        "1.10d2",
        "1.10d10",
        "1.10a1",
        "1.10alpha2",
        "1.10-alpha.beta",
        "1.10b1",
        "1.10beta11",
        "1.10-beta.12",
        "1.10-beta-x",
        "1.10fc1",
        "1.10rc2",
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
        for (a, b) in [
            ("1.2", "1.2.0.0"),
            ("v1.0.0", "1.0.0"),
            ("1.0.0+1", "1.0.0+2"),
            ("1-2", "1.2.0"),
            ("2.0b3", "2.0.0-beta.3"),
            ("2.0fc1", "2RC1"),
            ("2.0a1", "2.0alpha01"),
        ] {
            assert_eq!(v(a), v(b));
            assert_eq!(v(a).sort_key(), v(b).sort_key());
        }
    }
}
