//! What a request says besides its body.

use serde_json::Value;

/// Where a parameter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the query.
    Query,
    /// A segment of the path, which its route calls so.
    Path,
    /// A header.
    Header,
}

/// A parameter of a call.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Where it stands.
    pub place: Place,
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub text: &'static str,
    /// Whether requests without it are refused.
    pub is_required: bool,
    /// Its JSON Schema.
    pub schema: Value,
}
