//! The result of one check.

use serde::Serialize;
use serde_json::json;

use crate::error::CliError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FindingState {
    Good,
    Note,
    Skipped,
    Problem,
}

/// The result of one check.
#[derive(Debug)]
pub(crate) struct Finding {
    check: &'static str,
    state: FindingState,
    text: String,
    from_service: bool,
}

impl Finding {
    fn new(check: &'static str, state: FindingState, text: impl Into<String>) -> Self {
        Self { check, state, text: text.into(), from_service: true }
    }

    /// A successful check.
    pub(crate) fn good(check: &'static str, text: impl Into<String>) -> Self {
        Self::new(check, FindingState::Good, text)
    }

    /// A check that succeeded with a result that may not be intended.
    pub(crate) fn note(check: &'static str, text: impl Into<String>) -> Self {
        Self::new(check, FindingState::Note, text)
    }

    /// A check that was not made. The text explains how to make it.
    pub(crate) fn skipped(check: &'static str, text: impl Into<String>) -> Self {
        Self::new(check, FindingState::Skipped, text)
    }

    /// A failed check. The text explains how to solve the problem.
    pub(crate) fn problem(check: &'static str, text: impl Into<String>) -> Self {
        Self::new(check, FindingState::Problem, text)
    }

    /// A check that failed because of `error`.
    pub(crate) fn failed(check: &'static str, error: &CliError) -> Self {
        let from_service = !matches!(error, CliError::Unreachable { .. } | CliError::NotSpindrift { .. });
        Self { from_service, ..Self::problem(check, error.to_string()) }
    }

    pub(crate) fn is_problem(&self) -> bool {
        self.state == FindingState::Problem
    }

    /// Whether a Spindrift service answered.
    pub(crate) const fn is_from_service(&self) -> bool {
        self.from_service
    }

    fn word(&self) -> &'static str {
        match self.state {
            FindingState::Good => "ok",
            FindingState::Note => "note",
            FindingState::Skipped => "skipped",
            FindingState::Problem => "problem",
        }
    }

    pub(crate) fn row(&self) -> Vec<String> {
        vec![self.word().to_owned(), self.check.to_owned(), self.text.clone()]
    }

    pub(crate) fn as_json(&self) -> impl Serialize {
        json!({ "check": self.check, "state": self.word(), "text": self.text })
    }
}
