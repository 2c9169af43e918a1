//! Reading the document.

use serde_json::{Map, Value};

/// A call in the document.
pub(super) struct Operation<'a> {
    /// In capitals.
    pub(super) method: String,
    pub(super) path: &'a str,
    pub(super) value: &'a Value,
    pub(super) document: &'a Value,
}

/// All calls.
pub(super) fn operations(document: &Value) -> Vec<Operation<'_>> {
    entries(document, "/paths")
        .flat_map(|(path, methods)| {
            methods.as_object().into_iter().flatten().map(move |(method, value)| Operation {
                method: method.to_ascii_uppercase(),
                path,
                value,
                document,
            })
        })
        .collect()
}

/// A text in the document; empty if there is none.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn entries<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let entries = value.pointer(pointer).and_then(Value::as_object);
    entries.into_iter().flat_map(Map::iter).map(|(key, value)| (key.as_str(), value))
}
