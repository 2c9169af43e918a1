//! Bodies of requests.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

/// The schema of a type, made by a generator that collects what it refers to.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// The schema of `T`.
pub(crate) fn schema_of<T: JsonSchema>() -> SchemaOf {
    |generator| generator.subschema_for::<T>()
}

/// Whether a form takes files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Files {
    /// It does not.
    None,
    /// It may have them. Without, it can be urlencoded.
    Some,
    /// It must have them.
    Required,
}

#[derive(Debug, Clone)]
pub enum Body {
    Json {
        /// Its form.
        schema: SchemaOf,
        /// A valid one.
        example: Value,
        /// Whether requests without it are refused.
        is_required: bool,
        /// Whether a form with the same keys does as well.
        is_form_too: bool,
    },
    /// A form, with JSON in its fields.
    Form {
        /// Name, form and example of each field.
        fields: Vec<(&'static str, SchemaOf, Value)>,
        /// The field `file`.
        files: Files,
    },
}
