//! The fields that all metadata has: version and expiry.

use std::fmt;
use std::str::FromStr;

use spindrift_core::Timestamp;

use crate::TrustError;
use crate::error::Fault;
use crate::field_reader::FieldReader;
use crate::json::{Json, NUMBERS_BELOW};
use crate::lifetime::{DAY_SECONDS, Lifetime};

/// `spec_version`: the only value that is read and written.
const SPEC_VERSION: &str = "1.0.31";

/// The version of a piece of metadata: at least 1, and below 2^53, up to which all clients count exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MetadataVersion(u64);

impl MetadataVersion {
    /// The first version of a root.
    pub const FIRST: Self = Self(1);

    /// `None` if the number is out of range.
    pub const fn from_number(number: u64) -> Option<Self> {
        if 0 < number && number < NUMBERS_BELOW { Some(Self(number)) } else { None }
    }

    pub const fn number(self) -> u64 {
        self.0
    }

    /// The next version. `None` if it would reach 2^53.
    pub const fn following(self) -> Option<Self> {
        Self::from_number(self.0 + 1)
    }

    /// The version of metadata that is signed now, for all roles but root: the one after `previous`, or the
    /// current Unix time in seconds if that is greater. So versions rise even after a restore from a backup.
    /// `None` if none is left below 2^53.
    pub fn to_sign(previous: Option<Self>, now: Timestamp) -> Option<Self> {
        let second = u64::try_from(now.as_seconds()).unwrap_or_default();
        Self::from_number(previous.map_or(1, |previous| previous.0 + 1).max(second))
    }

    /// Whether the version is more than a day ahead of the clock, which no version signed elsewhere may be.
    /// Such numbers are only made up to block later versions.
    pub fn is_far_ahead(self, now: Timestamp) -> bool {
        i64::try_from(self.0).is_ok_and(|number| number > now.as_seconds().saturating_add(DAY_SECONDS))
    }
}

impl fmt::Display for MetadataVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// When metadata expires: whole seconds in UTC. Text: `2026-11-21T01:43:42Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expires(Timestamp);

impl Expires {
    /// The end of a lifetime that begins now.
    pub const fn after(lifetime: Lifetime, now: Timestamp) -> Self {
        Self(Timestamp::from_millis(now.as_seconds() * 1000).plus_seconds(lifetime.seconds()))
    }

    /// `None` if the time has a fraction of a second.
    pub const fn at(time: Timestamp) -> Option<Self> {
        if time.as_millis() % 1000 == 0 { Some(Self(time)) } else { None }
    }

    pub const fn time(self) -> Timestamp {
        self.0
    }

    /// Whether it has expired: clients refuse the metadata from this second on.
    pub fn is_expired(self, now: Timestamp) -> bool {
        self.0 <= now
    }

    /// Seconds from `now`, negative once it has expired.
    pub(crate) const fn seconds_left(self, now: Timestamp) -> i64 {
        self.0.as_seconds().saturating_sub(now.as_seconds())
    }
}

/// A text that is not in the form of [`Expires`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid expires")]
pub struct InvalidExpires;

impl FromStr for Expires {
    type Err = InvalidExpires;

    fn from_str(text: &str) -> Result<Self, InvalidExpires> {
        let time = Self(Timestamp::from_rfc3339(text).ok_or(InvalidExpires)?);
        if time.to_string() == text { Ok(time) } else { Err(InvalidExpires) }
    }
}

impl fmt::Display for Expires {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Z", self.0.to_rfc3339().trim_end_matches("+00:00"))
    }
}

/// The fields that all metadata has, apart from its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub version: MetadataVersion,
    pub expires: Expires,
}

impl Head {
    /// The head of metadata that the service signs now.
    pub fn to_sign(
        previous: Option<MetadataVersion>,
        lifetime: Lifetime,
        now: Timestamp,
    ) -> Result<Self, TrustError> {
        let version =
            MetadataVersion::to_sign(previous, now).ok_or(TrustError::Internal("count versions further"))?;
        Ok(Self { version, expires: Expires::after(lifetime, now) })
    }

    pub(crate) fn read(fields: &mut FieldReader, kind: &str) -> Result<Self, Fault> {
        fields.require("_type", &Json::text(kind))?;
        fields.require("spec_version", &Json::text(SPEC_VERSION))?;
        let version = MetadataVersion::from_number(fields.number("version")?).ok_or("version")?;
        Ok(Self { version, expires: fields.text("expires")? })
    }

    /// The object `signed`, made of these fields and the head's.
    pub(crate) fn with(&self, kind: &str, fields: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
        let head = [
            ("_type", Json::text(kind)),
            ("spec_version", Json::text(SPEC_VERSION)),
            ("version", Json::Number(self.version.0)),
            ("expires", Json::text(self.expires)),
        ];
        Json::object(head.into_iter().chain(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_999);

    #[test]
    fn versions_rise() {
        let version = |number| MetadataVersion::from_number(number).unwrap();
        for (previous, next) in [
            (None, Some(1_795_225_422)),
            (Some(7), Some(1_795_225_422)),
            (Some(1_795_225_421), Some(1_795_225_422)),
            (Some(1_795_225_422), Some(1_795_225_423)),
            (Some(NUMBERS_BELOW - 1), None),
        ] {
            assert_eq!(
                MetadataVersion::to_sign(previous.map(version), NOW),
                next.map(version),
                "{previous:?}"
            );
        }
        assert_eq!(MetadataVersion::to_sign(None, Timestamp::from_millis(-1)), Some(MetadataVersion::FIRST));
        assert_eq!(version(4).following(), Some(version(5)));
        assert_eq!(version(NUMBERS_BELOW - 1).following(), None);
        for (number, is_far) in [(1_795_225_422 + 86_400, false), (1_795_225_422 + 86_401, true), (1, false)]
        {
            assert_eq!(version(number).is_far_ahead(NOW), is_far, "{number}");
        }
        assert_eq!(MetadataVersion::from_number(0), None);
        assert_eq!(MetadataVersion::from_number(NUMBERS_BELOW), None);
    }

    #[test]
    fn ends_are_whole_seconds() {
        let expires = Expires::after(Lifetime::from_days(7).unwrap(), NOW);
        assert_eq!(expires.to_string(), "2026-11-28T01:43:42Z");
        assert_eq!("2026-11-28T01:43:42Z".parse(), Ok(expires));
        assert_eq!(expires.seconds_left(NOW), 7 * 86_400);
        assert!(!expires.is_expired(NOW.plus_seconds(7 * 86_400 - 1)));
        assert!(expires.is_expired(expires.time()));
        for bad in [
            "",
            "2026-11-28",
            "2026-11-28T01:43:42",
            "2026-11-28T01:43:42+00:00",
            "2026-11-28T01:43:42.5Z",
            "2026-11-28t01:43:42z",
            "2026-11-28 01:43:42Z",
            "2026-02-30T00:00:00Z",
            "2026-11-28T24:00:00Z",
            "2026-11-28T01:43:60Z",
            "+012026-11-28T01:43:42Z",
        ] {
            assert_eq!(bad.parse::<Expires>(), Err(InvalidExpires), "{bad}");
        }
    }
}
