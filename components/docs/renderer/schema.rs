//! Schemas in words.

use maud::{Markup, html};
use serde_json::Value;

use super::markdown::inline;
use super::read::{entries, list, text};

/// The id of a schema's place on the page.
pub(super) fn anchor(name: &str) -> String {
    format!("body-{name}")
}

/// A schema with its fields.
pub(super) fn whole(schema: &Value) -> Markup {
    let fields: Vec<_> = entries(schema, "/properties").collect();
    let patterns: Vec<_> = entries(schema, "/patternProperties").collect();
    let about = text(schema, "/description");
    html! {
        @if !about.is_empty() { p { (inline(about)) } }
        @if fields.is_empty() && patterns.is_empty() {
            p.type { (kind(schema)) }
        } @else {
            dl.fields {
                @for (name, field) in fields { (one(name, field, is_required(schema, name))) }
                @for (name, field) in patterns { (one(name, field, false)) }
            }
        }
    }
}

fn is_required(schema: &Value, name: &str) -> bool {
    list(schema, "/required").iter().any(|required| required == name)
}

fn one(name: &str, field: &Value, is_required: bool) -> Markup {
    html! {
        dt {
            code { (name) }
            @if is_required { " " small { "required" } }
        }
        dd {
            (inline(text(field, "/description")))
            " " span.type { (kind(field)) }
        }
    }
}

/// The kind of a value, in one line.
pub(super) fn kind(schema: &Value) -> Markup {
    if let Some(name) = text(schema, "/$ref").strip_prefix("#/components/schemas/") {
        return html! { a href=(format!("#{}", anchor(name))) { (name) } };
    }
    for (key, word) in [("/anyOf", " or "), ("/oneOf", " or "), ("/allOf", " and ")] {
        let forms = list(schema, key);
        if !forms.is_empty() {
            return joined(forms.iter().map(kind), word);
        }
    }
    let values = list(schema, "/enum");
    if !values.is_empty() {
        return joined(values.iter().map(code), " or ");
    }
    if let Some(value) = schema.get("const") {
        return code(value);
    }
    match schema.get("type") {
        Some(Value::Array(kinds)) => joined(kinds.iter().map(|kind| of_type(schema, kind)), " or "),
        Some(kind) => of_type(schema, kind),
        None => html! { "anything" },
    }
}

fn code(value: &Value) -> Markup {
    let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    html! { code { (shown) } }
}

fn joined(parts: impl Iterator<Item = Markup>, word: &str) -> Markup {
    html! {
        @for (place, part) in parts.enumerate() {
            @if place > 0 { (word) }
            (part)
        }
    }
}

fn of_type(schema: &Value, kind_of_value: &Value) -> Markup {
    match kind_of_value.as_str().unwrap_or_default() {
        "array" => html! {
            "list of "
            @if let Some(items) = schema.get("items") { (kind(items)) } @else { "anything" }
        },
        "object" => html! {
            "object"
            @if let Some(values @ Value::Object(_)) = schema.get("additionalProperties") {
                " with values: " (kind(values))
            }
        },
        "integer" => html! {
            "whole number"
            @if let (Some(from), Some(to)) = (schema.get("minimum"), schema.get("maximum")) {
                " from " (from.to_string()) " to " (to.to_string())
            }
        },
        other => html! { (other) },
    }
}
