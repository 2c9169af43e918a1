//! The conditions of a reading request
//! ([RFC 9110, section 13](https://www.rfc-editor.org/rfc/rfc9110#section-13)).

use std::time::UNIX_EPOCH;

use http::header::{IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE};
use http::{HeaderMap, HeaderName};

/// The properties that distinguish one version of a file from another.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileVersion<'a> {
    /// Without quotes. It is strong: files with the same tag have the same bytes.
    pub(super) etag: &'a str,
    /// Milliseconds since 1970.
    pub(super) modified: i64,
}

/// The outcome of all conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConditionOutcome {
    /// The request is answered as if it had no conditions.
    Answer,
    /// The client already has this version.
    NotModified,
    /// The client requires another version.
    Failed,
}

impl FileVersion<'_> {
    /// Checks the conditions in the order of section 13.2.2. A condition on the tag replaces the one on the
    /// date.
    pub(super) fn check(self, headers: &HeaderMap) -> ConditionOutcome {
        let fails = match tags(headers, &IF_MATCH) {
            Some(tags) => !tags.iter().any(|tag| tag.is_any() || tag.is_strongly(self.etag)),
            None => date(headers, &IF_UNMODIFIED_SINCE).is_some_and(|since| self.seconds() > since),
        };
        let is_known = match tags(headers, &IF_NONE_MATCH) {
            Some(tags) => tags.iter().any(|tag| tag.is_any() || tag.value == self.etag),
            None => date(headers, &IF_MODIFIED_SINCE).is_some_and(|since| self.seconds() <= since),
        };
        match (fails, is_known) {
            (true, _) => ConditionOutcome::Failed,
            (false, true) => ConditionOutcome::NotModified,
            (false, false) => ConditionOutcome::Answer,
        }
    }

    /// Whether a `Range` applies. With `If-Range` it applies only to the version named there. A date does not
    /// name a version: two versions may be written in the same second, and every answer has a tag that a
    /// client can send instead.
    pub(super) fn takes_ranges(self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(IF_RANGE).iter();
        match (values.next(), values.next()) {
            (None, _) => true,
            (Some(value), None) => value.as_bytes() == format!("\"{}\"", self.etag).as_bytes(),
            (Some(_), Some(_)) => false,
        }
    }

    /// Dates in headers are in whole seconds.
    fn seconds(self) -> i64 {
        self.modified.div_euclid(1000)
    }
}

/// An entry of a list of tags.
struct Tag<'a> {
    value: &'a str,
    is_quoted: bool,
    is_weak: bool,
}

impl Tag<'_> {
    fn is_any(&self) -> bool {
        !self.is_quoted && self.value == "*"
    }

    fn is_strongly(&self, etag: &str) -> bool {
        !self.is_weak && self.value == etag
    }
}

/// The tags in all headers with this name. `None` if there are none. An entry that is not a tag matches no
/// file.
fn tags<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Vec<Tag<'a>>> {
    let mut tags = Vec::new();
    for value in headers.get_all(name) {
        // A header that is not text matches no file either.
        let mut rest = value.to_str().unwrap_or("?");
        while let Some((tag, after)) = first_tag(rest) {
            tags.push(tag);
            rest = after;
        }
    }
    Some(tags).filter(|tags| !tags.is_empty())
}

/// The first tag of a list, and the rest of the list. A tag may contain commas, and S3 clients omit the
/// quotes.
fn first_tag(list: &str) -> Option<(Tag<'_>, &str)> {
    let list = list.trim_start_matches([' ', '\t', ',']);
    if list.is_empty() {
        return None;
    }
    let (is_weak, tag) = list.strip_prefix("W/").map_or((false, list), |tag| (true, tag));
    let quoted = tag.strip_prefix('"').and_then(|tag| tag.split_once('"'));
    let (value, rest) = quoted.or_else(|| tag.split_once(',')).unwrap_or((tag, ""));
    Some((Tag { value: value.trim_end_matches([' ', '\t']), is_quoted: quoted.is_some(), is_weak }, rest))
}

/// Seconds since 1970. `None` unless there is exactly one such header, with a valid date.
fn date(headers: &HeaderMap, name: &HeaderName) -> Option<i64> {
    let mut values = headers.get_all(name).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let date = httpdate::parse_http_date(value.to_str().ok()?).ok()?;
    i64::try_from(date.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn lists_of_tags() {
        for (list, expected) in [
            ("\"a\"", &["\"a\""][..]),
            ("\"a\",\"b\" , W/\"c\"", &["\"a\"", "\"b\"", "W/\"c\""]),
            (",, \"a, b\" ,", &["\"a, b\""]),
            ("\"\"", &["\"\""]),
            ("a-1, *", &["a-1", "*"]),
            ("W/a", &["W/a"]),
            ("\"a", &["\"a"]),
            ("\"a\"b", &["\"a\"", "b"]),
            ("", &[]),
            (" , ", &[]),
        ] {
            let headers = HeaderMap::from_iter([(IF_MATCH, HeaderValue::from_str(list).unwrap())]);
            let shown = |tag: &Tag<'_>| {
                let (weak, quote) =
                    (if tag.is_weak { "W/" } else { "" }, if tag.is_quoted { "\"" } else { "" });
                format!("{weak}{quote}{}{quote}", tag.value)
            };
            let found = tags(&headers, &IF_MATCH).unwrap_or_default();
            assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expected, "{list}");
        }
    }
}
