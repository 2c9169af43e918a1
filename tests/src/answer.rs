//! Answers.

use http::HeaderMap;
use serde::de::DeserializeOwned;
use serde_json::Value;
use spindrift_api::ErrorBody;

/// The page that lists all error codes with their statuses.
const ERRORS: &str = include_str!("../../docs/api/errors.md");

/// The ends of the stable parts of error texts, with the separator before a rule.
const STABLE: [&str; 2] = [" parameter: ", "not allowed: "];

/// The separator of a rule and the value that breaks it, in `invalid rollout: 0 to 100, not 101`.
const VALUE: &str = ", not ";

/// The stable part of an error text.
fn stable(text: &str) -> &str {
    let end = STABLE.into_iter().find_map(|end| Some(text.find(end)? + end.len() - ": ".len()));
    let rule = || text.starts_with("invalid ").then(|| text.find(VALUE)).flatten();
    let end = end.or_else(|| text[..rule()?].rfind(": "));
    end.map_or(text, |end| &text[..end])
}

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        self.read()
    }

    /// The body, parsed from JSON.
    pub fn read<T: DeserializeOwned>(&self) -> T {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The text of an error answer; empty for other answers. The code must be documented for the status.
    pub fn error(&self) -> String {
        let body: Option<ErrorBody> = serde_json::from_slice(&self.body).ok();
        let Some(ErrorBody { error, code, .. }) = body else { return String::new() };
        if let Some(code) = code.filter(|_| self.status >= 400) {
            let row = format!("| `{code}` | {} |", self.status);
            assert!(ERRORS.contains(&row), "docs/api/errors.md has no {row}");
        }
        error
    }

    /// The code of an error answer; empty if there is none.
    pub fn code(&self) -> String {
        let body: Option<ErrorBody> = serde_json::from_slice(&self.body).ok();
        body.and_then(|body| body.code).map(|code| code.to_string()).unwrap_or_default()
    }

    /// The status and the error text, for comparisons. Of texts with a rule, only the stable
    /// beginning.
    pub fn refusal(&self) -> (u16, String) {
        let text = self.error();
        (self.status, stable(&text).to_owned())
    }

    /// The answer, which must have this status.
    #[must_use]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_and_values_may_change() {
        for (text, expected) in [
            ("invalid rollout: 0 to 100, with up to two decimals, not 0.005", "invalid rollout"),
            ("invalid guard: factor: 1 to 10, not \": , not \"", "invalid guard: factor"),
            ("invalid app parameter: 1 to 64 letters, not \"a/b\"", "invalid app parameter"),
            ("invalid plan: it has 1 to 50 steps", "invalid plan: it has 1 to 50 steps"),
            ("not allowed: it lacks roll", "not allowed"),
            ("release not found", "release not found"),
        ] {
            assert_eq!(stable(text), expected);
        }
    }
}
