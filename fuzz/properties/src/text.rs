//! Texts in arbitrary bytes.

use std::fmt::Debug;
use std::str::FromStr;

/// The text that most parsers are called with: they get it from HTTP or JSON, where it is UTF-8 already.
pub(crate) fn of(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// The lines of a text, for properties about several values.
pub(crate) fn lines(data: &[u8]) -> Vec<&str> {
    of(data).map(|text| text.split('\n').collect()).unwrap_or_default()
}

/// Reads a text, prints the value, and reads that again: the same value, and the same text.
pub(crate) fn reread<T: FromStr + ToString + PartialEq + Debug>(text: &str) -> Option<T> {
    let read: T = text.parse().ok()?;
    let printed = read.to_string();
    let again = printed.parse::<T>().ok();
    assert_eq!(again.as_ref(), Some(&read), "{text:?} is printed as {printed:?}");
    assert_eq!(again.map(|value| value.to_string()), Some(printed));
    Some(read)
}

/// Up to five places in something of this length: both ends, and others that depend on the length.
pub(crate) fn places(length: usize) -> impl Iterator<Item = usize> {
    let places = [0, length / 7, length / 3, length / 2, length.saturating_sub(1)];
    places
        .into_iter()
        .enumerate()
        .filter(move |(at, place)| places.iter().take(*at).all(|p| p != place))
        .map(|(_, p)| p)
}
