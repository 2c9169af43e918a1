//! One call.

use maud::{Markup, html};
use serde_json::Value;

use super::markdown::{inline, markdown};
use super::read::{Operation, entries, list, text};
use super::schema;

pub(super) fn call(operation: &Operation<'_>) -> Markup {
    let value = operation.value;
    html! {
        details.call id=(text(value, "/operationId")) {
            summary {
                code.method data-method=(operation.method) { (operation.method) }
                " " code.path { (operation.path) }
                " " span.summary { (text(value, "/summary")) }
            }
            (markdown(text(value, "/description")))
            (parameters(value))
            (request_body(value))
            (answers(operation))
            h4 { "Example" }
            pre tabindex="0" { code { (text(value, "/x-codeSamples/0/source")) } }
        }
    }
}

fn parameters(operation: &Value) -> Markup {
    let parameters = list(operation, "/parameters");
    html! {
        @if !parameters.is_empty() {
            h4 { "Parameters" }
            dl {
                @for parameter in parameters {
                    dt {
                        code { (text(parameter, "/name")) }
                        " " small { (place(parameter)) }
                    }
                    dd {
                        (inline(text(parameter, "/description")))
                        @if let Some(of_value) = parameter.pointer("/schema") {
                            " " span.type { (schema::kind(of_value)) }
                        }
                    }
                }
            }
        }
    }
}

fn place(parameter: &Value) -> String {
    let place = text(parameter, "/in");
    let is_required = parameter.pointer("/required") == Some(&Value::Bool(true));
    if is_required { format!("{place}, required") } else { place.to_owned() }
}

fn request_body(operation: &Value) -> Markup {
    html! {
        @if operation.pointer("/requestBody").is_some() {
            h4 { "Body" }
            @for (content_type, content) in entries(operation, "/requestBody/content") {
                p { code { (content_type) } }
                @if let Some(of_body) = content.pointer("/schema") { (schema::whole(of_body)) }
            }
        }
    }
}

fn answers(operation: &Operation<'_>) -> Markup {
    html! {
        h4 { "Answers" }
        dl {
            @for (status, answer) in entries(operation.value, "/responses") {
                @let answer = resolved(operation.document, answer);
                dt { code.status data-class=(&status[..1]) { (status) } }
                dd {
                    (inline(text(answer, "/description")))
                    @if !status.starts_with(['4', '5']) {
                        @for (content_type, content) in entries(answer, "/content") {
                            p { code { (content_type) } }
                            @if let Some(of_body) = content.pointer("/schema") { (schema::whole(of_body)) }
                        }
                    }
                }
            }
        }
    }
}

/// The target of a reference, if it is one.
fn resolved<'a>(document: &'a Value, answer: &'a Value) -> &'a Value {
    let pointer = text(answer, "/$ref").strip_prefix('#');
    pointer.and_then(|pointer| document.pointer(pointer)).unwrap_or(answer)
}
