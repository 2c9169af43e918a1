//! The claims of a job's identity token.

use serde_json::{Map, Value};

/// The claims of an identity token whose signature is valid. They come from the issuer, not from the job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobClaims(Map<String, Value>);

impl JobClaims {
    /// All claims of the token.
    pub const fn new(claims: Map<String, Value>) -> Self {
        Self(claims)
    }

    /// A claim as text. `None`: it is missing, empty, or neither a text nor a number nor true nor false. GitLab
    /// writes numbers as texts, other issuers as numbers.
    pub fn text(&self, name: &str) -> Option<String> {
        match self.0.get(name)? {
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => Some(text.clone()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            _ => None,
        }
    }
}
