//! The days that a query selects.

use spindrift_core::Day;
use spindrift_web::{ApiError, Query};

/// A range of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Days {
    pub(crate) first: Day,
    pub(crate) last: Day,
}

impl Days {
    /// The days of `range` that end at `date`, by default `days` that end today.
    pub(crate) fn parse_or(query: &Query, days: i64, today: Day) -> Result<Self, ApiError> {
        let last = query.optional("date")?.unwrap_or(today);
        let days = match query.get("range") {
            None => days,
            Some("week") => 7,
            Some("month") => Day::MONTH,
            Some("quarter") => 90,
            Some(_) => return Err(ApiError::bad_request("invalid range parameter")),
        };
        Ok(Self { first: last.minus(days - 1), last })
    }

    /// All days, oldest first.
    pub(crate) fn all(self) -> Vec<Day> {
        let count = self.last.number() - self.first.number();
        (0..=count).rev().map(|ago| self.last.minus(ago)).collect()
    }
}
