//! The answers of a call, in the form of OpenAPI.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::components::Components;
use crate::describe::{Answer, Call, Content};
use crate::{ErrorBody, ErrorCode};

const JSON: &str = "application/json";

/// The answers of a call, by status.
pub(crate) fn responses(call: &Call, components: &mut Components) -> Map<String, Value> {
    let of_answer = |answer: &Answer| match error_name(answer) {
        Some(name) => components.error(name, |components| response(call, answer, components)),
        None => response(call, answer, components),
    };
    call.answers
        .iter()
        .map(|answer| answer.status.to_string())
        .zip(call.answers.iter().map(of_answer))
        .collect()
}

/// Status and codes of an answer that is nothing but an error, so that others like it are the same.
fn error_name(answer: &Answer) -> Option<String> {
    let [Content::Error(codes)] = answer.contents.as_slice() else { return None };
    let mut codes: Vec<_> = codes.iter().map(ErrorCode::as_str).collect();
    codes.sort_unstable();
    Some(if codes.is_empty() {
        format!("{}.text", answer.status)
    } else {
        format!("{}.{}", answer.status, codes.join("."))
    })
}

fn response(call: &Call, answer: &Answer, components: &mut Components) -> Value {
    let mut response = json!({ "description": description(answer), "headers": headers(call, answer.status) });
    let mut by_type: Map<String, Value> = Map::new();
    for content in &answer.contents {
        let (content_type, schema) = body(content, components);
        match by_type.get_mut(content_type).and_then(|known| known.pointer_mut("/schema")) {
            Some(known) => *known = either(known.take(), schema),
            None => {
                by_type.insert(content_type.to_owned(), json!({ "schema": schema }));
            }
        }
    }
    if let (false, Some(response)) = (by_type.is_empty(), response.as_object_mut()) {
        response.insert("content".to_owned(), by_type.into());
    }
    response
}

/// One of several forms.
fn either(known: Value, other: Value) -> Value {
    let mut forms = match known {
        Value::Object(mut known) if known.contains_key("anyOf") => match known.remove("anyOf") {
            Some(Value::Array(forms)) => forms,
            _ => Vec::new(),
        },
        known => vec![known],
    };
    forms.push(other);
    json!({ "anyOf": forms })
}

fn body(content: &Content, components: &mut Components) -> (&'static str, Value) {
    match content {
        Content::Json(schema) => (JSON, components.of_answer(*schema)),
        Content::OtherJson(schema) => (JSON, schema.clone()),
        // OpenAPI 3.1: bytes have no schema.
        Content::Bytes(content_type) => (content_type, json!({})),
        Content::Error(codes) => {
            let error = components.of_answer(SchemaGenerator::subschema_for::<ErrorBody>);
            if codes.is_empty() {
                return (JSON, error);
            }
            let codes: Vec<_> = codes.iter().map(ErrorCode::as_str).collect();
            let with_code = json!({ "properties": { "code": { "enum": codes } }, "required": ["code"] });
            (JSON, json!({ "allOf": [error, with_code] }))
        }
    }
}

/// For errors: their codes, without another description.
fn description(answer: &Answer) -> String {
    let mut parts = Vec::new();
    if !answer.text.is_empty() {
        parts.push(answer.text.to_owned());
    }
    for content in &answer.contents {
        if let Content::Error(codes) = content {
            let codes: Vec<_> = codes.iter().map(|code| format!("`{code}`")).collect();
            parts.push(if codes.is_empty() { "An error.".to_owned() } else { codes.join(", ") });
        }
    }
    parts.join(" ")
}

fn headers(call: &Call, status: u16) -> Value {
    let mut names = vec!["X-Request-Id"];
    match status {
        200 | 304 if call.is_shared => names.extend(["Cache-Control", "ETag"]),
        302 => names.push("Location"),
        401 => names.push("WWW-Authenticate"),
        429 | 503 => names.push("Retry-After"),
        _ => {}
    }
    let reference = |name: &str| json!({ "$ref": format!("#/components/headers/{name}") });
    names.into_iter().map(|name| (name.to_owned(), reference(name))).collect::<Map<_, _>>().into()
}
