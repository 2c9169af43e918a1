//! Answers.

use crate::ErrorCode;
use serde_json::Value;

use super::body::SchemaOf;

/// The body of an answer.
#[derive(Debug, Clone)]
pub enum Content {
    /// JSON of a wire type.
    Json(SchemaOf),
    /// JSON of a form that no wire type has.
    OtherJson(Value),
    /// Bytes of a content type.
    Bytes(&'static str),
    /// An error with one of these codes. Without codes: one that has only a text.
    Error(Vec<ErrorCode>),
}

/// An answer of a call with a status.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    /// The case in which it is answered. Empty for errors, whose codes name it.
    pub text: &'static str,
    /// The possible bodies. Empty: no body.
    pub contents: Vec<Content>,
}
