//! Points in time.

use serde::{Deserialize, Serialize};

/// A point in time: milliseconds since 1970-01-01T00:00:00Z, which is the default.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since the Unix epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }
    /// Milliseconds since the Unix epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }
    /// Whole seconds since the Unix epoch.
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }
    /// The point `seconds` later (earlier when negative).
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1000)))
    }
    /// Whether it is at most `seconds` before `now`, and not after it.
    pub const fn is_within(self, now: Self, seconds: i64) -> bool {
        let age = now.0.saturating_sub(self.0);
        0 <= age && age <= seconds.saturating_mul(1000)
    }
    /// From [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339), any offset; fractions are cut to milliseconds.
    /// Years are 0001 to 9999.
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let time: jiff::Timestamp = text.parse().ok().filter(|_| has_shape(text))?;
        Some(Self(time.as_millisecond())).filter(|time| (FIRST_MILLIS..=LAST_MILLIS).contains(&time.0))
    }
    /// RFC 3339 in UTC without fractions, offset written out: `2026-11-21T01:53:42+00:00`.
    pub fn to_rfc3339(self) -> String {
        let millis = self.0.clamp(FIRST_MILLIS, LAST_MILLIS);
        jiff::Timestamp::from_millisecond(millis)
            .map_or_else(|_| String::new(), |t| t.strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string())
    }
}

/// The first moment of the year 1, and the last one that `jiff` writes.
const FIRST_MILLIS: i64 = -62_135_596_800_000;
const LAST_MILLIS: i64 = 253_402_207_200_000;

/// Whether date, time and offset are separated as RFC 3339 says: `jiff` also reads other forms of ISO 8601.
fn has_shape(text: &str) -> bool {
    let at = |place: usize| text.as_bytes().get(place).copied();
    let is_separated = (at(4), at(7), at(13), at(16)) == (Some(b'-'), Some(b'-'), Some(b':'), Some(b':'));
    let ends = text.ends_with(['Z', 'z']) || text.len().checked_sub(3).and_then(at) == Some(b':');
    is_separated && ends
}

/// A text that is not RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid time")]
pub struct InvalidTime;

impl std::str::FromStr for Timestamp {
    type Err = InvalidTime;

    /// Like [`Timestamp::from_rfc3339`].
    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        Self::from_rfc3339(text).ok_or(InvalidTime)
    }
}

#[cfg(test)]
mod tests {
    use super::Timestamp;

    #[test]
    fn rfc3339_has_no_fractions_and_an_offset() {
        assert_eq!(Timestamp::from_millis(1_795_225_422_999).to_rfc3339(), "2026-11-21T01:43:42+00:00");
    }

    #[test]
    fn rfc3339_is_read_with_any_offset() {
        for text in ["2026-11-21T01:43:42.999Z", "2026-11-21T03:43:42.999+02:00"] {
            assert_eq!(
                Timestamp::from_rfc3339(text),
                Some(Timestamp::from_millis(1_795_225_422_999)),
                "{text}"
            );
        }
        for other in [
            "2026-11-21",
            "2026-11-21T01:43Z",
            "20261121T014342Z",
            "00000122 04+2123",
            "+002026-11-21T01:43:42Z",
            "2026-11-21T01:43:42+0200",
            "2026-11-21T01:43:42+02",
            "0000-12-31T23:59:59Z",
        ] {
            assert_eq!(Timestamp::from_rfc3339(other), None, "{other}");
        }
    }
}
