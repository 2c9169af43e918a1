//! Parsing the text of a setting.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::time::Duration;

/// A type that a setting can have.
pub trait SettingValue: Sized {
    /// The accepted values.
    type Range: 'static;
    /// Whether an empty text is an ordinary value. If not, it means the default.
    const TAKES_EMPTY: bool = false;

    /// `None`: the text is not a value of this type, or is out of range.
    fn parse(text: String, range: &Self::Range) -> Option<Self>;

    /// The accepted values in words.
    fn describe(range: &Self::Range) -> String;

    /// The text after "must be" in the error for an unusable value. `like` is an accepted value.
    fn demand(range: &Self::Range, _like: &str) -> String {
        Self::describe(range)
    }
}

/// A value, or `None` for an empty text.
impl<T: SettingValue> SettingValue for Option<T> {
    type Range = T::Range;
    const TAKES_EMPTY: bool = true;

    fn parse(text: String, range: &Self::Range) -> Option<Self> {
        if text.is_empty() { Some(None) } else { T::parse(text, range).map(Some) }
    }

    fn describe(range: &Self::Range) -> String {
        T::describe(range)
    }

    fn demand(range: &Self::Range, like: &str) -> String {
        T::demand(range, like)
    }
}

impl SettingValue for bool {
    type Range = ();

    fn parse(text: String, (): &()) -> Option<Self> {
        text.parse().ok()
    }

    fn describe((): &()) -> String {
        "true or false".to_owned()
    }
}

/// Implements [`SettingValue`] for each number type in the same way.
macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl SettingValue for $number {
            type Range = RangeInclusive<Self>;

            fn parse(text: String, range: &Self::Range) -> Option<Self> {
                text.parse().ok().filter(|number| range.contains(number))
            }

            fn describe(range: &Self::Range) -> String {
                from_to(range, *range.end() == Self::MAX)
            }

            fn demand(range: &Self::Range, _like: &str) -> String {
                format!("a number from {}", Self::describe(range))
            }
        })+
    };
}

numbers!(u32, u64, usize);

fn from_to(range: &RangeInclusive<impl Display>, is_open: bool) -> String {
    if is_open {
        return format!("{} or more", range.start());
    }
    format!("{} to {}", range.start(), range.end())
}

/// A number of seconds, or a number with `s`, `m` or `h`.
impl SettingValue for Duration {
    type Range = RangeInclusive<Self>;

    fn parse(text: String, range: &Self::Range) -> Option<Self> {
        parse_seconds(&text).map(Self::from_secs).filter(|duration| range.contains(duration))
    }

    fn describe(range: &Self::Range) -> String {
        if range.start().is_zero() {
            return format!("at most {}", in_words(*range.end()));
        }
        format!("{} to {}", in_words(*range.start()), in_words(*range.end()))
    }

    fn demand(range: &Self::Range, like: &str) -> String {
        format!("{}, like {like}", Self::describe(range))
    }
}

fn parse_seconds(text: &str) -> Option<u64> {
    let (number, unit) = match text.char_indices().next_back()? {
        (i, 's') => (&text[..i], 1),
        (i, 'm') => (&text[..i], 60),
        (i, 'h') => (&text[..i], 3600),
        _ => (text, 1),
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

/// Whole days in days, everything else in seconds.
fn in_words(duration: Duration) -> String {
    const DAY: u64 = 24 * 60 * 60;
    let seconds = duration.as_secs();
    let (count, unit) =
        if seconds > 0 && seconds.is_multiple_of(DAY) { (seconds / DAY, "day") } else { (seconds, "second") };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, seconds) in [
            ("90", Some(90)),
            ("30m", Some(1800)),
            ("1h", Some(3600)),
            ("5s", Some(5)),
            ("m", None),
            ("1d", None),
            ("-1", None),
        ] {
            assert_eq!(parse_seconds(text), seconds, "{text}");
        }
        let range = Duration::from_secs(1)..=Duration::from_hours(7 * 24);
        assert_eq!(Duration::demand(&range, "30m"), "1 second to 7 days, like 30m");
        assert_eq!(Duration::describe(&(Duration::ZERO..=Duration::from_mins(2))), "at most 120 seconds");
        for (text, is_taken) in [("0", false), ("1", true), ("168h", true), ("169h", false)] {
            assert_eq!(Duration::parse(text.to_owned(), &range).is_some(), is_taken, "{text}");
        }
    }

    #[test]
    fn an_empty_text_may_be_nothing() {
        for (text, value) in [("", Some(None)), ("true", Some(Some(true))), ("yes", None)] {
            assert_eq!(<Option<bool>>::parse(text.to_owned(), &()), value, "{text}");
        }
    }

    #[test]
    fn numbers_in_their_range() {
        for (text, number) in [("1", Some(1)), ("10", Some(10)), ("0", None), ("11", None), ("ten", None)] {
            assert_eq!(u32::parse(text.to_owned(), &(1..=10)), number, "{text}");
        }
        assert_eq!(u32::demand(&(1..=10), "5"), "a number from 1 to 10");
        assert_eq!(u64::describe(&(0..=u64::MAX)), "0 or more");
    }
}
