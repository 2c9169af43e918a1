//! Why a feed is refused.

use std::fmt;

/// Most characters of a text from a feed that an error repeats.
const MAX_QUOTED_CHARS: usize = 80;

/// Why a feed is refused. The text names the feed, the place in it and the problem. It is short and stable: `RELEASES:
/// line 3: not a package`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{feed}: {place}{problem}")]
pub struct FeedError {
    feed: &'static str,
    place: Place,
    problem: &'static str,
}

/// A place in a feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The feed as a whole.
    Whole,
    /// A line, counted from 1.
    Line(usize),
    /// An entry of a list, counted from 0.
    Entry(&'static str, usize),
    /// A named part of it: a field, a file.
    Name(String),
}

impl FeedError {
    pub(super) const fn new(feed: &'static str, place: Place, problem: &'static str) -> Self {
        Self { feed, place, problem }
    }

    pub(super) const fn whole(feed: &'static str, problem: &'static str) -> Self {
        Self::new(feed, Place::Whole, problem)
    }

    /// `name` may come from outside, so it is cut and made printable.
    pub(super) fn named(feed: &'static str, name: &str, problem: &'static str) -> Self {
        let name = name.chars().filter(|c| !c.is_control()).take(MAX_QUOTED_CHARS).collect();
        Self::new(feed, Place::Name(name), problem)
    }

    /// Where the problem is.
    pub fn place(&self) -> &Place {
        &self.place
    }
}

impl fmt::Display for Place {
    /// The place, followed by its separator from the problem.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole => Ok(()),
            Self::Line(number) => write!(f, "line {number}: "),
            Self::Entry(list, position) => write!(f, "{list}[{position}]: "),
            Self::Name(name) => write!(f, "{name}: "),
        }
    }
}
