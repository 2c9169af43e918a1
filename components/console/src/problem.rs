//! The message above a form that failed.

use http::StatusCode;

/// Why an action failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    /// For people.
    pub(crate) text: String,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }
}
