//! Why a feed is rejected.

use std::borrow::Cow;
use std::fmt;

/// How many characters of a feed's text an error quotes.
const MAX_QUOTED_CHARS: usize = 80;

/// Why a feed is rejected. The text names the feed, the place in it and the problem. It is short
/// and stable: `RELEASES: line 3: not a package`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{feed}{place}{problem}")]
pub struct FeedError {
    feed: Cow<'static, str>,
    place: FeedPlace,
    problem: Cow<'static, str>,
}

/// A place in a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FeedPlace {
    /// The feed as a whole.
    Whole,
    /// The feed, as the subject of a sentence that the problem continues.
    Subject,
    /// A line, counted from 1.
    Line(usize),
    /// An entry of a list, counted from 0.
    Entry(&'static str, usize),
    /// A named part: a field, a file.
    Name(String),
}

impl FeedError {
    pub(super) fn new(feed: &'static str, place: FeedPlace, problem: impl Into<Cow<'static, str>>) -> Self {
        Self { feed: Cow::Borrowed(feed), place, problem: problem.into() }
    }

    /// An error whose problem is a sentence about the feed: `latest.yml says 1.3.0`.
    pub(super) fn about(feed: &'static str, problem: String) -> Self {
        Self::new(feed, FeedPlace::Subject, problem)
    }

    pub(super) fn whole(feed: &'static str, problem: impl Into<Cow<'static, str>>) -> Self {
        Self::new(feed, FeedPlace::Whole, problem)
    }

    /// `name` may come from outside, so it is truncated and made printable.
    pub(super) fn in_part(feed: &'static str, name: &str, problem: impl Into<Cow<'static, str>>) -> Self {
        Self::new(feed, FeedPlace::Name(printable(name)), problem)
    }

    /// Names the file instead of the pattern of such names.
    #[must_use]
    pub fn in_file(self, name: &str) -> Self {
        let is_pattern = self.feed.contains(['*', '{']);
        Self { feed: if is_pattern { Cow::Owned(printable(name)) } else { self.feed }, ..self }
    }

    /// Where the problem is.
    pub fn place(&self) -> &FeedPlace {
        &self.place
    }
}

/// An external text, truncated and made printable.
pub(super) fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_QUOTED_CHARS).collect()
}

impl fmt::Display for FeedPlace {
    /// Formats the place, with its separators from the feed and the problem.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => f.write_str(": "),
            Self::Subject => f.write_str(" "),
            Self::Line(number) => write!(f, ": line {number}: "),
            Self::Entry(list, position) => write!(f, ": {list}[{position}]: "),
            Self::Name(name) => write!(f, ": {name}: "),
        }
    }
}
