//! Comparing a manifest with a table of fields.

use serde_json::Value;

/// The content of a field.
pub(crate) enum Shape {
    Text,
    Number,
    Switch,
    /// These fields and no others.
    Object(&'static [Field]),
    List(&'static Shape),
    /// Any names, each with this.
    Map(&'static Shape),
}

pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) is_required: bool,
}

/// A field that must be there.
pub(crate) const fn required(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_required: true }
}

/// A field that may be there.
pub(crate) const fn optional(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_required: false }
}

/// One line for each way in which `value`, found at `place`, differs from `shape`.
pub(crate) fn differences(shape: &Shape, value: &Value, place: &str) -> Vec<String> {
    match (shape, value) {
        (Shape::Text, Value::String(_)) | (Shape::Switch, Value::Bool(_)) => Vec::new(),
        (Shape::Number, Value::Number(number)) if number.is_i64() => Vec::new(),
        (Shape::List(item), Value::Array(items)) => {
            let items = items.iter().enumerate();
            items.flat_map(|(at, value)| differences(item, value, &format!("{place}.{at}"))).collect()
        }
        (Shape::Map(item), Value::Object(entries)) => {
            let entries = entries.iter();
            entries.flat_map(|(name, value)| differences(item, value, &format!("{place}.{name}"))).collect()
        }
        (Shape::Object(fields), Value::Object(entries)) => {
            let missing =
                fields.iter().filter(|field| field.is_required && !entries.contains_key(field.name));
            let mut found: Vec<String> =
                missing.map(|field| format!("{place}.{} is missing", field.name)).collect();
            for (name, value) in entries {
                let place = format!("{place}.{name}");
                match fields.iter().find(|field| field.name == name) {
                    Some(field) => found.extend(differences(&field.shape, value, &place)),
                    None => found.push(format!("{place} is not a field")),
                }
            }
            found
        }
        _ => vec![format!("{place} has another type")],
    }
}
