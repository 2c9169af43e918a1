//! The parts of a file that a client asks for: the header `Range`
//! ([RFC 9110, section 14](https://www.rfc-editor.org/rfc/rfc9110#section-14)).

use std::ops::Range;

use http::{HeaderMap, header};

/// Maximum number of ranges in one request; with more, the answer is the whole file. electron-updater asks
/// for at most 1000 at once.
const MAX_RANGES: usize = 1000;

/// The bytes to answer with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RequestedRange {
    /// There is no range, or no sensible one, or so many that sending the whole file is less work.
    Whole,
    /// One range.
    Part(Range<u64>),
    /// Several ranges, in the order of the request. They are never merged: electron-updater identifies the
    /// parts by their order and lengths.
    Parts(Vec<Range<u64>>),
    /// The header is valid, but its ranges contain no byte of the file. This is an error, although HTTP would
    /// allow the server to ignore the header: from a 416 with `Content-Range: bytes */LENGTH`, a client that
    /// resumes learns that it has the whole file or has to start over, while a 200 would send it everything
    /// again.
    Nothing,
}

/// One range of a header.
#[derive(Clone, Copy)]
enum Spec {
    /// From the first to the last byte, or to the end.
    From(u64, Option<u64>),
    /// This many bytes at the end.
    Last(u64),
}

/// The bytes that `headers` request from a file of `length` bytes.
pub(super) fn requested_range(headers: &HeaderMap, length: u64) -> RequestedRange {
    let mut values = headers.get_all(header::RANGE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return RequestedRange::Whole };
    let Some(specs) = value.to_str().ok().and_then(parse) else { return RequestedRange::Whole };
    if specs.len() > MAX_RANGES {
        return RequestedRange::Whole;
    }
    let found: Vec<Range<u64>> = specs.iter().filter_map(|spec| spec.within_file(length)).collect();
    let bytes: u128 = found.iter().map(|range| u128::from(range.end - range.start)).sum();
    match found.as_slice() {
        [] => RequestedRange::Nothing,
        // The end of an empty file.
        [range, ..] if range.is_empty() => RequestedRange::Whole,
        [range] => RequestedRange::Part(range.clone()),
        _ if bytes > length.into() => RequestedRange::Whole,
        _ => RequestedRange::Parts(found),
    }
}

/// The parsed ranges, at most one more than allowed. `None` if the header is not a list of ranges.
fn parse(header: &str) -> Option<Vec<Spec>> {
    let (unit, list) = header.split_once('=')?;
    if !unit.eq_ignore_ascii_case("bytes") {
        return None;
    }
    let entries =
        list.split(',').map(|entry| entry.trim_matches([' ', '\t'])).filter(|entry| !entry.is_empty());
    let specs: Vec<Spec> = entries.take(MAX_RANGES + 1).map(Spec::parse).collect::<Option<_>>()?;
    Some(specs).filter(|specs| !specs.is_empty())
}

impl Spec {
    fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once('-')?;
        if first.is_empty() {
            return number(last).map(Self::Last);
        }
        let first = number(first)?;
        if last.is_empty() {
            return Some(Self::From(first, None));
        }
        number(last).filter(|last| first <= *last).map(|last| Self::From(first, Some(last)))
    }

    /// `None` if the file has none of these bytes.
    fn within_file(self, length: u64) -> Option<Range<u64>> {
        match self {
            Self::From(first, last) => {
                let end = last.map_or(length, |last| last.saturating_add(1).min(length));
                (first < length).then_some(first..end)
            }
            Self::Last(count) => (count > 0).then_some(length.saturating_sub(count)..length),
        }
    }
}

/// A number with any number of digits. One that exceeds `u64` is beyond the end of every file.
fn number(digits: &str) -> Option<u64> {
    let are_digits = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    are_digits.then(|| digits.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn range_of(range: &str, length: u64) -> RequestedRange {
        let value = HeaderValue::from_str(range).unwrap();
        requested_range(&HeaderMap::from_iter([(header::RANGE, value)]), length)
    }

    #[test]
    fn no_range_is_outside_of_the_file() {
        let largest = u64::MAX;
        for (range, length, expected) in [
            (format!("bytes=0-{largest}"), largest, RequestedRange::Part(0..largest)),
            (format!("bytes={}-", largest - 1), largest, RequestedRange::Part(largest - 1..largest)),
            (format!("bytes={largest}-{largest}"), largest, RequestedRange::Nothing),
            (format!("bytes=-{largest}"), 3, RequestedRange::Part(0..3)),
            (format!("bytes=0-{largest},0-{largest}"), largest, RequestedRange::Whole),
            ("bytes=0-".into(), 0, RequestedRange::Nothing),
            ("bytes=-1".into(), 0, RequestedRange::Whole),
            ("bytes=-1,-2".into(), 0, RequestedRange::Whole),
            ("bytes=0-0,2-2".into(), 2, RequestedRange::Part(0..1)),
        ] {
            assert_eq!(range_of(&range, length), expected, "{range}");
        }
    }
}
