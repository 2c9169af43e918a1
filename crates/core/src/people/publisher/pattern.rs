//! A pattern for the ref of a job.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Longest pattern, in bytes.
const MAX_BYTES: usize = 256;

/// A ref such as `refs/heads/main`, or a pattern with one `*`, such as `refs/tags/v*`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RefPattern(String);

/// The text is not a pattern for a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a ref of 1 to {MAX_BYTES} visible characters with at most one `*`, like refs/tags/v*")]
pub struct InvalidRefPattern;

impl RefPattern {
    /// Whether the pattern matches a whole ref. The `*` stands for any text, also for none.
    pub fn matches(&self, text: &str) -> bool {
        match self.0.split_once('*') {
            None => self.0 == text,
            Some((start, end)) => text.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        }
    }
}

impl FromStr for RefPattern {
    type Err = InvalidRefPattern;

    fn from_str(text: &str) -> Result<Self, InvalidRefPattern> {
        let is_visible = |byte: u8| byte.is_ascii_graphic() || !byte.is_ascii();
        let is_valid = (1..=MAX_BYTES).contains(&text.len())
            && text.bytes().all(is_visible)
            && text.matches('*').count() <= 1;
        if is_valid { Ok(Self(text.to_owned())) } else { Err(InvalidRefPattern) }
    }
}

impl TryFrom<String> for RefPattern {
    type Error = InvalidRefPattern;

    fn try_from(text: String) -> Result<Self, InvalidRefPattern> {
        text.parse()
    }
}

impl From<RefPattern> for String {
    fn from(pattern: RefPattern) -> Self {
        pattern.0
    }
}

impl fmt::Display for RefPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
