//! Points in time.

use jiff::tz::Offset;
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
    /// Parses [RFC 3339](https://www.rfc-editor.org/rfc/rfc3339), with offsets up to 23:59.
    /// Fractions are truncated to milliseconds. Years are 0001 to 9999. A leap second, which is
    /// valid only in the last minute of a month in UTC, is read as the second before it.
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        let time = Rfc3339Fields::parse(text)?.time()?;
        Some(time).filter(|time| (FIRST_MILLIS..=LAST_MILLIS).contains(&time.0))
    }
    /// RFC 3339 in UTC without fractions, offset written out: `2026-11-21T01:53:42+00:00`.
    pub fn to_rfc3339(self) -> String {
        let millis = self.0.clamp(FIRST_MILLIS, LAST_MILLIS);
        jiff::Timestamp::from_millisecond(millis)
            .map_or_else(|_| String::new(), |t| t.strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string())
    }
}

/// The first moment of the year 1, and the last one that `jiff` formats.
const FIRST_MILLIS: i64 = -62_135_596_800_000;
const LAST_MILLIS: i64 = 253_402_207_200_000;

/// The numbers of a text in RFC 3339, before checking them against the calendar.
struct Rfc3339Fields {
    date: [i16; 3],
    time: [i16; 3],
    millis: i64,
    offset_seconds: i32,
}

/// Text that was not parsed yet.
struct TextCursor<'a>(&'a [u8]);

impl TextCursor<'_> {
    fn skip(&mut self, any_of: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first().filter(|(first, _)| any_of.contains(first))?;
        self.0 = rest;
        Some(*first)
    }

    fn digit(&mut self) -> Option<u8> {
        self.skip(b"0123456789").map(|digit| digit - b'0')
    }

    fn number(&mut self, digits: usize) -> Option<i16> {
        (0..digits).try_fold(0, |number, _| Some(10 * number + i16::from(self.digit()?)))
    }

    /// The digits after a dot, in milliseconds.
    fn fraction(&mut self) -> Option<i64> {
        if self.skip(b".").is_none() {
            return Some(0);
        }
        let mut millis = 100 * i64::from(self.digit()?);
        let mut unit = 10;
        while let Some(digit) = self.digit() {
            millis += unit * i64::from(digit);
            unit /= 10;
        }
        Some(millis)
    }

    fn offset_seconds(&mut self) -> Option<i32> {
        let sign = match self.skip(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.number(2).filter(|hours| *hours <= 23)?;
        self.skip(b":")?;
        let minutes = self.number(2).filter(|minutes| *minutes <= 59)?;
        Some(sign * 60 * (60 * i32::from(hours) + i32::from(minutes)))
    }
}

impl Rfc3339Fields {
    fn parse(text: &str) -> Option<Self> {
        let mut rest = TextCursor(text.as_bytes());
        let year = rest.number(4)?;
        rest.skip(b"-")?;
        let month = rest.number(2)?;
        rest.skip(b"-")?;
        let day = rest.number(2)?;
        rest.skip(b"Tt ")?;
        let hour = rest.number(2)?;
        rest.skip(b":")?;
        let minute = rest.number(2)?;
        rest.skip(b":")?;
        let second = rest.number(2)?;
        let (millis, offset_seconds) = (rest.fraction()?, rest.offset_seconds()?);
        let written = Self { date: [year, month, day], time: [hour, minute, second], millis, offset_seconds };
        rest.0.is_empty().then_some(written)
    }

    fn time(&self) -> Option<Timestamp> {
        let ([year, month, day], [hour, minute, second]) = (self.date, self.time);
        let is_leap = second == 60;
        let small = |number: i16| i8::try_from(number).ok();
        let second = if is_leap { 59 } else { small(second)? };
        let (month, day, hour, minute) = (small(month)?, small(day)?, small(hour)?, small(minute)?);
        let local = jiff::civil::DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
        let time = Offset::from_seconds(self.offset_seconds).ok()?.to_timestamp(local).ok()?;
        if is_leap {
            let next = Offset::UTC.to_datetime(time.checked_add(jiff::SignedDuration::from_secs(1)).ok()?);
            if (next.day(), next.hour(), next.minute(), next.second()) != (1, 0, 0, 0) {
                return None;
            }
        }
        Some(Timestamp(time.as_millisecond() + self.millis))
    }
}

/// The text is not RFC 3339.
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
        for text in [
            "2026-11-21T01:43:42.999Z",
            "2026-11-21t01:43:42.9999999999999z",
            "2026-11-21 03:43:42.999+02:00",
            "2026-11-22T01:42:42.999+23:59",
            "2026-11-20T01:44:42.999-23:59",
            "2026-11-21T01:43:42.999-00:00",
        ] {
            assert_eq!(
                Timestamp::from_rfc3339(text),
                Some(Timestamp::from_millis(1_795_225_422_999)),
                "{text}"
            );
        }
    }

    #[test]
    fn leap_seconds_are_read_where_they_can_be() {
        let before = Timestamp::from_rfc3339("2016-12-31T23:59:59Z");
        assert!(before.is_some());
        for text in ["2016-12-31T23:59:60Z", "2017-01-01T08:59:60+09:00"] {
            assert_eq!(Timestamp::from_rfc3339(text), before, "{text}");
        }
        for text in ["2016-12-31T23:58:60Z", "2016-12-30T23:59:60Z", "2016-12-31T23:59:60+01:00"] {
            assert_eq!(Timestamp::from_rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_times() {
        for other in [
            "",
            "2026-11-21",
            "2026-11-21T01:43Z",
            "2026-11-21T01:43:42",
            "20261121T014342Z",
            "00000122 04+2123",
            "+002026-11-21T01:43:42Z",
            "2026-11-21T01:43:42+0200",
            "2026-11-21T01:43:42+02",
            "2026-11-21T01:43:42+24:00",
            "2026-11-21T01:43:42+25:00",
            "2026-11-21T01:43:42-24:00",
            "2026-11-21T01:43:42+01:60",
            "2026-11-21T01:43:42+01:00:30",
            "2026-11-21T01:43:42+01:00[Europe/Berlin]",
            "2026-11-21T24:00:00Z",
            "2026-11-21T01:60:00Z",
            "2026-11-21T01:43:61Z",
            "2026-11-21T01:43:42,5Z",
            "2026-11-21T01:43:42.Z",
            "2026-02-29T01:43:42Z",
            "2026-13-01T01:43:42Z",
            "2026-00-01T01:43:42Z",
            " 2026-11-21T01:43:42Z",
            "2026-11-21T01:43:42Z ",
            "2026-11-21T01:43:42ZZ",
            "0000-12-31T23:59:59Z",
        ] {
            assert_eq!(Timestamp::from_rfc3339(other), None, "{other}");
        }
    }
}
