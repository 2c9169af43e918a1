//! The days that a query selects.

use spindrift_core::{Day, Days};
use spindrift_web::{ApiError, Query};

/// The days of `range` that end at `date`, by default `days` that end today.
pub(crate) fn parse_or(query: &Query, days: i64, today: Day) -> Result<Days, ApiError> {
    let last = query.optional("date")?.unwrap_or(today);
    let days = match query.get("range") {
        None => days,
        Some("week") => 7,
        Some("month") => Day::MONTH,
        Some("quarter") => 90,
        Some(other) => return Err(ApiError::invalid("range", "week, month or quarter", Some(other))),
    };
    Ok(Days::until(last, days))
}
