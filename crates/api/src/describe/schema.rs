//! JSON Schemas of values other than bodies.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

pub fn text() -> Value {
    json!({ "type": "string" })
}

/// A text of at least one character.
pub fn word() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

/// A whole number. `default`: its value if it is left out.
pub fn number(range: RangeInclusive<u32>, default: u32) -> Value {
    json!({ "type": "integer", "minimum": range.start(), "maximum": range.end(), "default": default })
}

/// `true` or `false`.
pub fn flag() -> Value {
    json!({ "type": "boolean" })
}

/// One of these texts.
pub fn one_of(texts: &[&str]) -> Value {
    json!({ "type": "string", "enum": texts })
}

pub fn device() -> Value {
    json!({ "type": "string", "pattern": "^[!-~]{1,128}$" })
}
