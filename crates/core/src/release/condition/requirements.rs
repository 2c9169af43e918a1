//! Requirements of a release on the client's system.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::OsVersion;
use crate::shortened;
use crate::{InvalidValue, TextRule as _, quoted_json};

/// Maximum number of versions that a range excludes.
pub const MAX_EXCLUDED: usize = 8;

/// The requirements of a release on one platform and architecture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Requirements {
    /// The versions of the operating system.
    pub os_version: OsRange,
    /// The answer to a client that does not report its version.
    pub unknown: WhenUnknown,
}

/// A range of versions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OsRange {
    /// The lowest version.
    pub min: Option<OsVersion>,
    /// The highest version, including all those that it is a prefix of: `12` includes 12.7.
    pub max: Option<OsVersion>,
    /// Excluded versions, including all those that they are a prefix of.
    pub not: Vec<OsVersion>,
}

/// The answer for clients that do not report the version of their system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum WhenUnknown {
    /// An older release.
    #[default]
    Hold,
    /// This release.
    Offer,
}

/// The requirements are invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid requires: {0}")]
pub struct InvalidRequirements(String);

impl Requirements {
    /// Whether a client may have the release. `os_version`: of its system, if it reports it.
    pub fn are_met(&self, os_version: Option<&OsVersion>) -> bool {
        match os_version {
            Some(version) => self.os_version.has(version),
            None => self.unknown == WhenUnknown::Offer,
        }
    }

    /// Whether every client that meets `other` meets these.
    pub(super) fn is_no_stricter_than(&self, other: &Self) -> bool {
        let is_unknown_fine = self.unknown == WhenUnknown::Offer || other.unknown == WhenUnknown::Hold;
        is_unknown_fine && self.os_version.includes(&other.os_version)
    }

    /// Parses `{"os_version": {"min", "max", "not"}, "unknown"}`. `Ok(None)`: nothing is required.
    pub fn from_json(value: &Value) -> Result<Option<Self>, InvalidRequirements> {
        let mut object = object(value, None)?;
        let os_version = object.remove("os_version").map(|range| OsRange::from_json(&range)).transpose()?;
        let unknown = match object.remove("unknown") {
            None => WhenUnknown::default(),
            Some(word) => {
                WhenUnknown::from_word(&word).ok_or_else(|| invalid("unknown", "hold or offer", &word))?
            }
        };
        if let Some(other) = object.keys().next() {
            return Err(unknown_key(other, "os_version and unknown"));
        }
        let os_version = os_version.unwrap_or_default();
        Ok((os_version != OsRange::default()).then_some(Self { os_version, unknown }))
    }

    /// The inverse of [`Self::from_json`].
    pub fn to_json(&self) -> Value {
        let OsRange { min, max, not } = &self.os_version;
        let mut range = Map::new();
        for (name, bound) in [("min", min), ("max", max)] {
            range.extend(bound.as_ref().map(|bound| (name.to_owned(), bound.to_string().into())));
        }
        if !not.is_empty() {
            range.insert("not".to_owned(), not.iter().map(ToString::to_string).collect());
        }
        let mut requires = Map::from_iter([("os_version".to_owned(), range.into())]);
        if self.unknown == WhenUnknown::Offer {
            requires.insert("unknown".to_owned(), "offer".into());
        }
        requires.into()
    }
}

impl OsRange {
    fn has(&self, version: &OsVersion) -> bool {
        self.min.as_ref().is_none_or(|min| version >= min)
            && self.max.as_ref().is_none_or(|max| version.beginning_cmp(max).is_le())
            && !self.not.iter().any(|not| version.beginning_cmp(not).is_eq())
    }

    /// Whether the range contains every version of `other`. It may be `false` by mistake if an
    /// excluded version is outside `other`.
    fn includes(&self, other: &Self) -> bool {
        let is_low_enough = match (&self.min, &other.min) {
            (None, _) => true,
            (Some(min), Some(other)) => min <= other,
            (Some(_), None) => false,
        };
        let is_high_enough = match (&self.max, &other.max) {
            (None, _) => true,
            (Some(max), Some(other)) => match (max.next(), other.next()) {
                (None, _) => true,
                (Some(end), Some(other)) => other <= end,
                (Some(_), None) => false,
            },
            (Some(_), None) => false,
        };
        let is_left_out = |not: &OsVersion| other.not.iter().any(|other| other.begins(not));
        is_low_enough && is_high_enough && self.not.iter().all(is_left_out)
    }

    fn from_json(value: &Value) -> Result<Self, InvalidRequirements> {
        let mut object = object(value, Some("os_version"))?;
        let read = |value: &Value, name: &'static str| {
            let version = value.as_str().and_then(|text| text.parse().ok());
            version.ok_or_else(|| invalid(name, OsVersion::RULE, value))
        };
        let mut bound = |name: &'static str| object.remove(name).map(|value| read(&value, name)).transpose();
        let (min, max) = (bound("min")?, bound("max")?);
        let not = match object.remove("not") {
            None => Vec::new(),
            Some(Value::Array(list)) if list.len() <= MAX_EXCLUDED => {
                list.iter().map(|value| read(value, "not")).collect::<Result<_, _>>()?
            }
            Some(other) => return Err(invalid("not", EXCLUDED, &other)),
        };
        match object.keys().next() {
            Some(other) => Err(unknown_key(other, "min, max and not")),
            None => Ok(Self { min, max, not }),
        }
    }
}

impl WhenUnknown {
    fn from_word(word: &Value) -> Option<Self> {
        match word.as_str()? {
            "hold" => Some(Self::Hold),
            "offer" => Some(Self::Offer),
            _ => None,
        }
    }
}

/// For people: `os_version 12 to 14, without 13.2`.
impl fmt::Display for Requirements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OsRange { min, max, not } = &self.os_version;
        f.write_str("os_version")?;
        match (min, max) {
            (Some(min), Some(max)) => write!(f, " {min} to {max}")?,
            (Some(min), None) => write!(f, " {min} or later")?,
            (None, Some(max)) => write!(f, " {max} or earlier")?,
            (None, None) => {}
        }
        if !not.is_empty() {
            let comma = if min.is_some() || max.is_some() { "," } else { "" };
            let not: Vec<String> = not.iter().map(ToString::to_string).collect();
            write!(f, "{comma} without {}", not.join(", "))?;
        }
        Ok(())
    }
}

/// The rule for excluded versions.
const EXCLUDED: &str = "a list of up to 8 versions";

fn invalid(key: &'static str, rule: &'static str, sent: &Value) -> InvalidRequirements {
    InvalidRequirements(InvalidValue::of_json(key, rule, sent).to_string())
}

fn unknown_key(key: &str, known: &str) -> InvalidRequirements {
    InvalidRequirements(format!("{}: no such key, only {known}", shortened(key)))
}

/// `key`: the key of the value. `None`: the value is all of the requirements.
fn object(value: &Value, key: Option<&'static str>) -> Result<Map<String, Value>, InvalidRequirements> {
    let refused = || match key {
        Some(key) => invalid(key, "an object", value),
        None => InvalidRequirements(format!("an object, not {}", quoted_json(value))),
    };
    value.as_object().cloned().ok_or_else(refused)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn requires(value: &Value) -> Requirements {
        Requirements::from_json(value).unwrap().unwrap()
    }

    fn range(value: &Value) -> Requirements {
        requires(&json!({ "os_version": value }))
    }

    #[test]
    fn a_system_is_in_the_range_or_not() {
        for (required, version, is_met) in [
            (json!({ "min": "12" }), "12.1", true),
            (json!({ "min": "12" }), "11.7", false),
            (json!({ "min": "12.3" }), "12", false),
            (json!({ "max": "12" }), "12.7", true),
            (json!({ "max": "12" }), "13", false),
            (json!({ "not": ["13.2"] }), "13.2.1", false),
            (json!({ "not": ["13.2"] }), "13.3", true),
            (json!({ "not": ["13.2"] }), "13", true),
            (json!({ "min": "10.0.19045", "max": "10" }), "10.0.19044", false),
            (json!({ "min": "10.0.19045", "max": "10" }), "10.0.22631.1", true),
        ] {
            let required = range(&required);
            assert_eq!(required.are_met(Some(&version.parse().unwrap())), is_met, "{required:?} {version}");
        }
        assert!(!range(&json!({ "min": "12" })).are_met(None));
        assert!(requires(&json!({ "os_version": { "min": "12" }, "unknown": "offer" })).are_met(None));
    }

    #[test]
    fn json_says_what_is_wrong() {
        let all = json!({ "os_version": { "min": "12", "max": "14", "not": ["13.2"] }, "unknown": "offer" });
        assert_eq!(requires(&all).to_json(), all);
        for nothing in [json!({}), json!({ "os_version": {} }), json!({ "unknown": "hold" })] {
            assert_eq!(Requirements::from_json(&nothing), Ok(None));
        }
        for (value, key) in [
            (json!([]), "an object, not []"),
            (json!({ "os_version": "12" }), "os_version: an object, not \"12\""),
            (
                json!({ "os_version": { "min": 12 } }),
                "min: 1 to 4 numbers with dots, like 13.6 or 10.0.19045, not 12",
            ),
            (json!({ "os_version": { "max": "x" } }), "max: 1 to 4 numbers"),
            (json!({ "os_version": { "not": "13" } }), "not: a list of up to 8 versions, not \"13\""),
            (
                json!({ "os_version": { "not": vec!["1"; MAX_EXCLUDED + 1] } }),
                "not: a list of up to 8 versions",
            ),
            (json!({ "os_version": { "not": ["x"] } }), "not: 1 to 4 numbers"),
            (json!({ "os_version": { "minimum": "13" } }), "minimum: no such key, only min, max and not"),
            (json!({ "unknown": "maybe" }), "unknown: hold or offer, not \"maybe\""),
            (json!({ "ram": 4 }), "ram: no such key, only os_version and unknown"),
        ] {
            let message = Requirements::from_json(&value).unwrap_err().to_string();
            assert!(message.starts_with(&format!("invalid requires: {key}")), "{value}: {message}");
        }
    }

    #[test]
    fn they_are_told_to_people() {
        for (required, message) in [
            (json!({ "min": "12" }), "os_version 12 or later"),
            (json!({ "max": "14", "not": ["13.2", "13.3"] }), "os_version 14 or earlier, without 13.2, 13.3"),
            (json!({ "min": "12", "max": "14" }), "os_version 12 to 14"),
            (json!({ "not": ["13.2"] }), "os_version without 13.2"),
        ] {
            assert_eq!(range(&required).to_string(), message);
        }
    }

    #[test]
    fn weaker_requirements_ask_no_more() {
        for (weak, strict, expected) in [
            (json!({ "min": "11" }), json!({ "min": "12" }), true),
            (json!({ "min": "12" }), json!({ "min": "11" }), false),
            (json!({ "max": "13" }), json!({ "max": "12.7" }), true),
            (json!({ "max": "12" }), json!({ "max": "12.7" }), true),
            (json!({ "max": "12.7" }), json!({ "max": "12" }), false),
            (json!({ "not": ["13.2.1"] }), json!({ "not": ["13.2"] }), true),
            (json!({ "not": ["13.2"] }), json!({ "not": ["13.2.1"] }), false),
            (json!({ "min": "11" }), json!({ "max": "12" }), false),
        ] {
            let (weak, strict) = (range(&weak), range(&strict));
            assert_eq!(weak.is_no_stricter_than(&strict), expected, "{weak:?} {strict:?}");
        }
        let offer = |min: &str| requires(&json!({ "os_version": { "min": min }, "unknown": "offer" }));
        assert!(offer("11").is_no_stricter_than(&range(&json!({ "min": "11" }))));
        assert!(!range(&json!({ "min": "11" })).is_no_stricter_than(&offer("11")));
    }

    /// If `a` asks no more than `b`, it must admit every client that `b` admits.
    #[test]
    fn asking_no_more_implies_admission() {
        use crate::feeds::testing::Numbers;
        let mut numbers = Numbers(33);
        let texts = ["11", "11.5", "12", "12.0.1", "12.7", "13", "13.2", "13.2.1"];
        let mut some = || {
            let mut bound = || (numbers.below(2) == 0).then(|| numbers.pick(&texts).parse().unwrap());
            let (min, max, not) = (bound(), bound(), bound());
            let unknown = *numbers.pick(&[WhenUnknown::Hold, WhenUnknown::Offer]);
            Requirements { os_version: OsRange { min, max, not: not.into_iter().collect() }, unknown }
        };
        let mut implied = 0;
        for _ in 0..20_000 {
            let (these, others) = (some(), some());
            if these.is_no_stricter_than(&others) {
                implied += 1;
                let versions = texts.iter().chain(&["10", "12.8", "14"]).map(|text| text.parse().ok());
                for version in versions.chain([None]) {
                    let version: Option<&OsVersion> = version.as_ref();
                    assert!(
                        !others.are_met(version) || these.are_met(version),
                        "{these:?} {others:?} {version:?}"
                    );
                }
            }
        }
        assert!(implied > 1_000, "{implied}");
    }
}
