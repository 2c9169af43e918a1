//! The parameters of a request.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Query,
    /// A segment of the path, which its route calls so.
    Path,
    Header,
}

#[derive(Debug, Clone)]
pub struct Parameter {
    pub place: Place,
    pub name: &'static str,
    /// Its meaning.
    pub text: &'static str,
    /// Whether requests without it are refused.
    pub is_required: bool,
    /// Its JSON Schema.
    pub schema: Value,
}
