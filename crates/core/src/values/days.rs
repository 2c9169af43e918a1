//! Days and ranges of days.

use std::fmt;
use std::str::FromStr;

use jiff::Span;
use jiff::civil::Date;

use crate::Timestamp;

const EPOCH: Date = jiff::civil::date(1970, 1, 1);
const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// The text is not a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid day")]
pub struct InvalidDay;

/// A day in UTC, 1970-01-01 to 9999-12-31.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i32);

impl Day {
    /// 9999-12-31.
    const LAST: i32 = 2_932_896;
    /// Number of days in the default range of figures, about a month.
    pub const MONTH: i64 = 30;

    /// The day of a point in time. Times outside the range count as the nearest day in it.
    pub fn of(time: Timestamp) -> Self {
        Self::from_number(time.as_millis().div_euclid(MILLIS_PER_DAY))
    }

    /// From days since 1970-01-01, clamped to the range.
    pub fn from_number(days: i64) -> Self {
        Self(i32::try_from(days.clamp(0, i64::from(Self::LAST))).unwrap_or(0))
    }

    /// Days since 1970-01-01.
    pub fn number(self) -> i64 {
        i64::from(self.0)
    }

    /// The first millisecond of the day.
    pub fn start(self) -> Timestamp {
        Timestamp::from_millis(self.number() * MILLIS_PER_DAY)
    }

    /// The month that ends with this day.
    pub fn month(self) -> Days {
        Days::until(self, Self::MONTH)
    }

    /// The day that is `days` earlier.
    #[must_use]
    pub fn minus(self, days: i64) -> Self {
        Self::from_number(self.number().saturating_sub(days))
    }
}

impl FromStr for Day {
    type Err = InvalidDay;

    /// `YYYY-MM-DD`.
    fn from_str(text: &str) -> Result<Self, InvalidDay> {
        let date: Date =
            if text.len() == 10 { text.parse().map_err(|_| InvalidDay)? } else { return Err(InvalidDay) };
        let days = date.since(EPOCH).map_err(|_| InvalidDay)?.get_days();
        if (0..=Self::LAST).contains(&days) { Ok(Self(days)) } else { Err(InvalidDay) }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let date = EPOCH.checked_add(Span::new().days(self.0)).map_err(|_| fmt::Error)?;
        write!(f, "{date}")
    }
}

/// A range of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    /// The first day.
    pub first: Day,
    /// The last day.
    pub last: Day,
}

impl Days {
    /// `count` days, of which `last` is the last.
    pub fn until(last: Day, count: i64) -> Self {
        Self { first: last.minus(count - 1), last }
    }

    /// All days, oldest first.
    pub fn all(self) -> Vec<Day> {
        let count = self.last.number() - self.first.number();
        (0..=count).rev().map(|ago| self.last.minus(ago)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days() {
        for (text, number) in [("1970-01-01", 0), ("2026-11-21", 20_778), ("9999-12-31", 2_932_896)] {
            let day: Day = text.parse().unwrap();
            assert_eq!((day.number(), day.to_string().as_str()), (number, text));
            assert_eq!(Day::of(day.start()), day);
            assert_eq!(Day::of(Timestamp::from_millis(day.start().as_millis() + MILLIS_PER_DAY - 1)), day);
        }
        for bad in [
            "",
            "2026-1-1",
            "2026-02-30",
            "20261121",
            "2026-11-21T00:00:00Z",
            "1969-12-31",
            "today",
            "+002026-01",
        ] {
            assert_eq!(bad.parse::<Day>(), Err(InvalidDay), "{bad}");
        }
        assert_eq!("2026-03-01".parse::<Day>().unwrap().minus(1).to_string(), "2026-02-28");
        assert_eq!(Day::from_number(3).minus(9).number(), 0);
    }
}
