//! The hours in which the steps of a plan may begin.

use std::fmt;
use std::str::FromStr;

use crate::Timestamp;

const MINUTE_MILLIS: i64 = 60_000;
const DAY_MINUTES: i64 = 24 * 60;
const DAY_MILLIS: i64 = DAY_MINUTES * MINUTE_MILLIS;
/// Maximum distance of a time zone from UTC, in minutes: 14 hours, that of the Line Islands.
const MAX_OFFSET_MINUTES: i64 = 14 * 60;
const DAY_NAMES: [&str; DAYS_OF_WEEK] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const DAYS_OF_WEEK: usize = 7;
/// Days from the Monday before 1970-01-01, a Thursday, to that day.
const FIRST_WEEKDAY: i64 = 3;

/// The hours in which steps may begin, on some days of the week.
///
/// They are local times with a fixed distance from UTC, because the times of a plan must not change
/// after clients have learned of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkingHours {
    /// Monday to Sunday. At least one is `true`.
    days: [bool; DAYS_OF_WEEK],
    /// In minutes since local midnight.
    from: i64,
    /// The end, in minutes since local midnight. Later than `from`, at most 24:00.
    to: i64,
    /// Minutes by which local time is ahead of UTC.
    offset: i64,
}

/// The problem with working hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HoursFault {
    /// They are not an object, or have other keys.
    #[error("it has the keys days, from, to and offset")]
    Keys,
    /// The text form has missing or additional parts.
    #[error("it is like Mon-Thu 09:00-16:00 +01:00")]
    Form,
    /// The days are invalid.
    #[error("days are like Mon-Thu or Mon,Wed,Fri")]
    Days,
    /// A time is invalid.
    #[error("from and to are times from 00:00 to 24:00")]
    Time,
    /// The hours end before they begin.
    #[error("from is before to")]
    Empty,
    /// The offset is invalid.
    #[error("the offset is from UTC and like +01:00, up to 14:00")]
    Offset,
}

impl WorkingHours {
    /// Parses days such as `Mon-Thu` or `Mon,Wed,Fri`, the times `from` and `to` such as `09:00`,
    /// and an offset from UTC such as `+01:00`.
    pub fn new(days: &str, from: &str, to: &str, offset: &str) -> Result<Self, HoursFault> {
        let (from, to) = (minutes(from).ok_or(HoursFault::Time)?, minutes(to).ok_or(HoursFault::Time)?);
        let hours = Self { days: read_days(days)?, from, to, offset: read_offset(offset)? };
        if from < to { Ok(hours) } else { Err(HoursFault::Empty) }
    }

    /// The first moment in these hours that is not before `at`.
    pub fn at_or_after(&self, at: Timestamp) -> Timestamp {
        let local = at.as_millis().saturating_add(self.offset * MINUTE_MILLIS);
        let (today, since_midnight) = (local.div_euclid(DAY_MILLIS), local.rem_euclid(DAY_MILLIS));
        if self.has(today) && (self.from * MINUTE_MILLIS..self.to * MINUTE_MILLIS).contains(&since_midnight) {
            return at;
        }
        let is_over = since_midnight >= self.from * MINUTE_MILLIS;
        let mut days = (today + i64::from(is_over)..).take(DAYS_OF_WEEK);
        let day = days.find(|day| self.has(*day)).unwrap_or(today);
        let begin = day.saturating_mul(DAY_MINUTES).saturating_add(self.from - self.offset);
        Timestamp::from_millis(begin.saturating_mul(MINUTE_MILLIS))
    }

    /// Whether a day, counted since 1970-01-01 in local time, is one of the days.
    fn has(&self, day: i64) -> bool {
        let weekday = (day + FIRST_WEEKDAY).rem_euclid(7);
        self.days.iter().zip(0..).any(|(is_in, place)| *is_in && place == weekday)
    }

    /// The days of the week, as in `Mon-Thu` or `Mon,Wed,Fri`.
    pub fn days(&self) -> String {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for day in (0..DAYS_OF_WEEK).filter(|day| self.days.get(*day) == Some(&true)) {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == day => *last = day,
                _ => runs.push((day, day)),
            }
        }
        let name = |day: usize| DAY_NAMES.get(day).copied().unwrap_or_default();
        let run = |(first, last)| match (name(first), name(last)) {
            (first, last) if first == last => first.to_owned(),
            (first, last) => format!("{first}-{last}"),
        };
        runs.into_iter().map(run).collect::<Vec<_>>().join(",")
    }

    /// The beginning, as in `09:00`.
    pub fn from(&self) -> String {
        clock(self.from)
    }

    /// The end, as in `16:00`.
    pub fn to(&self) -> String {
        clock(self.to)
    }

    /// The distance from UTC, as in `+01:00`.
    pub fn offset(&self) -> String {
        let sign = if self.offset < 0 { '-' } else { '+' };
        format!("{sign}{}", clock(self.offset.abs()))
    }
}

/// Parses names of days and ranges of them, separated by commas. A range may pass the end of the
/// week.
fn read_days(text: &str) -> Result<[bool; DAYS_OF_WEEK], HoursFault> {
    let place = |name: &str| {
        DAY_NAMES.iter().position(|known| known.eq_ignore_ascii_case(name.trim())).ok_or(HoursFault::Days)
    };
    let mut days = [false; DAYS_OF_WEEK];
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (place(first)?, place(last)?);
        let length = (last + DAYS_OF_WEEK - first) % DAYS_OF_WEEK;
        for day in first..=first + length {
            if let Some(is_in) = days.get_mut(day % DAYS_OF_WEEK) {
                *is_in = true;
            }
        }
    }
    Ok(days)
}

/// Parses `09:00` into minutes. `24:00` is the end of the day.
fn minutes(text: &str) -> Option<i64> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |text: &str| {
        let is_number = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { text.parse::<i64>().ok() } else { None }
    };
    let (hours, minutes) = (number(hours)?, number(minutes).filter(|minutes| *minutes < 60)?);
    Some(60 * hours + minutes).filter(|minutes| *minutes <= DAY_MINUTES)
}

fn read_offset(text: &str) -> Result<i64, HoursFault> {
    let (sign, rest) = match (text.strip_prefix('+'), text.strip_prefix('-')) {
        (Some(rest), _) => (1, rest),
        (None, Some(rest)) => (-1, rest),
        (None, None) => return Err(HoursFault::Offset),
    };
    let offset = minutes(rest).filter(|minutes| *minutes <= MAX_OFFSET_MINUTES);
    offset.map(|minutes| sign * minutes).ok_or(HoursFault::Offset)
}

fn clock(minutes: i64) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// Parses `Mon-Thu 09:00-16:00 +01:00`.
impl FromStr for WorkingHours {
    type Err = HoursFault;

    fn from_str(text: &str) -> Result<Self, HoursFault> {
        let mut parts = text.split_whitespace();
        let (Some(days), Some(times), Some(offset), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(HoursFault::Form);
        };
        let (from, to) = times.split_once('-').ok_or(HoursFault::Form)?;
        Self::new(days, from, to, offset)
    }
}

impl fmt::Display for WorkingHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}-{} {}", self.days(), self.from(), self.to(), self.offset())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours(text: &str) -> WorkingHours {
        text.parse().unwrap()
    }

    fn at(text: &str) -> Timestamp {
        Timestamp::from_rfc3339(text).unwrap()
    }

    #[test]
    fn hours_are_read_as_written() {
        for text in [
            "Mon-Thu 09:00-16:00 +01:00",
            "Mon,Wed,Fri 00:00-24:00 +00:00",
            "Mon-Sun 22:30-23:59 -09:30",
            "Mon,Sat-Sun 09:00-09:01 +14:00",
        ] {
            assert_eq!(hours(text).to_string(), text);
        }
        for (text, written) in [
            ("mon-THU 09:00-16:00 -00:00", "Mon-Thu 09:00-16:00 +00:00"),
            ("Thu,Mon-Wed 09:00-16:00 +01:00", "Mon-Thu 09:00-16:00 +01:00"),
            ("Sat-Mon 09:00-16:00 +01:00", "Mon,Sat-Sun 09:00-16:00 +01:00"),
            (" Tue-Tue   09:00-16:00  +01:00 ", "Tue 09:00-16:00 +01:00"),
        ] {
            assert_eq!(hours(text).to_string(), written);
        }
    }

    #[test]
    fn the_fault_is_named() {
        for (text, fault) in [
            ("", HoursFault::Form),
            ("Mon-Thu 09:00-16:00", HoursFault::Form),
            ("Mon-Thu 09:00 16:00 +01:00", HoursFault::Form),
            ("Mon-Thu 09:00-16:00 +01:00 x", HoursFault::Form),
            ("Montag 09:00-16:00 +01:00", HoursFault::Days),
            ("Mon,,Fri 09:00-16:00 +01:00", HoursFault::Days),
            ("Mon- 09:00-16:00 +01:00", HoursFault::Days),
            ("Mon-Wed-Fri 09:00-16:00 +01:00", HoursFault::Days),
            ("Mon 9:00-16:00 +01:00", HoursFault::Time),
            ("Mon 09:60-16:00 +01:00", HoursFault::Time),
            ("Mon 09:00-24:01 +01:00", HoursFault::Time),
            ("Mon 09:00-+1:00 +01:00", HoursFault::Time),
            ("Mon 09:00-09:00 +01:00", HoursFault::Empty),
            ("Mon 22:00-06:00 +01:00", HoursFault::Empty),
            ("Mon 09:00-16:00 01:00", HoursFault::Offset),
            ("Mon 09:00-16:00 +1:00", HoursFault::Offset),
            ("Mon 09:00-16:00 +14:01", HoursFault::Offset),
            ("Mon 09:00-16:00 Europe/Berlin", HoursFault::Offset),
        ] {
            assert_eq!(text.parse::<WorkingHours>(), Err(fault), "{text}");
        }
    }

    /// 2026-12-01 is a Tuesday.
    #[test]
    fn a_moment_outside_waits_for_the_next_hours() {
        for (text, due, begins) in [
            // Inside, at the borders and outside of the hours of a day.
            ("Mon-Thu 09:00-16:00 +00:00", "2026-12-01T12:34:56Z", "2026-12-01T12:34:56Z"),
            ("Mon-Thu 09:00-16:00 +00:00", "2026-12-01T09:00:00Z", "2026-12-01T09:00:00Z"),
            ("Mon-Thu 09:00-16:00 +00:00", "2026-12-01T15:59:59Z", "2026-12-01T15:59:59Z"),
            ("Mon-Thu 09:00-16:00 +00:00", "2026-12-01T16:00:00Z", "2026-12-02T09:00:00Z"),
            ("Mon-Thu 09:00-16:00 +00:00", "2026-12-01T08:59:59Z", "2026-12-01T09:00:00Z"),
            // Over the end of the week, and only on one day of it.
            ("Mon-Thu 09:00-16:00 +00:00", "2026-12-03T16:00:00Z", "2026-12-07T09:00:00Z"),
            ("Mon-Thu 09:00-16:00 +00:00", "2026-12-06T23:59:59Z", "2026-12-07T09:00:00Z"),
            ("Tue 09:00-16:00 +00:00", "2026-12-01T16:00:00Z", "2026-12-08T09:00:00Z"),
            ("Sun 23:00-24:00 +00:00", "2026-12-07T00:00:00Z", "2026-12-13T23:00:00Z"),
            ("Mon-Sun 00:00-24:00 +00:00", "2026-12-06T23:59:59Z", "2026-12-06T23:59:59Z"),
            // Where the day differs from that in UTC.
            ("Mon 09:00-16:00 +13:00", "2026-12-06T20:00:00Z", "2026-12-06T20:00:00Z"),
            ("Mon 09:00-16:00 +13:00", "2026-12-07T03:00:00Z", "2026-12-13T20:00:00Z"),
            ("Sun 18:00-24:00 -08:00", "2026-12-07T07:59:59Z", "2026-12-07T07:59:59Z"),
            ("Sun 18:00-24:00 -08:00", "2026-12-07T08:00:00Z", "2026-12-14T02:00:00Z"),
            ("Mon-Thu 09:00-16:00 +05:45", "2026-12-01T03:14:59Z", "2026-12-01T03:15:00Z"),
            // Before 1970.
            ("Thu 09:00-16:00 +00:00", "1969-12-31T10:00:00Z", "1970-01-01T09:00:00Z"),
        ] {
            assert_eq!(hours(text).at_or_after(at(due)), at(begins), "{text}: {due}");
        }
    }

    #[test]
    fn a_moment_in_the_hours_stays_and_no_other_is_skipped() {
        let hours = hours("Mon,Wed-Fri 09:15-16:45 +05:30");
        let mut last = Timestamp::from_millis(i64::MIN);
        for minutes in 0..3 * 7 * DAY_MINUTES {
            let due = at("2026-11-30T00:00:00Z").plus_seconds(60 * minutes);
            let begins = hours.at_or_after(due);
            assert!(begins >= due && begins >= last, "{minutes}");
            assert_eq!(hours.at_or_after(begins), begins, "{minutes}");
            assert!(begins == due || begins.plus_seconds(-7 * 24 * 60 * 60) < due, "{minutes}");
            last = begins;
        }
    }
}
