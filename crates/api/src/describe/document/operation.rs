//! A call in the form of OpenAPI.

use serde_json::{Map, Value, json};

use super::components::Components;
use super::example::curl;
use super::responses::responses;
use crate::describe::{Body, Files, Parameter, Place, Route};

const JSON: &str = "application/json";
const URLENCODED: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// Describes a route.
pub(crate) fn operation(route: &Route, components: &mut Components) -> Value {
    let call = &route.call;
    let who = format!("**Who**: {}.", call.who.text());
    let details = if call.details.is_empty() { who } else { format!("{who}\n\n{}", call.details) };
    let mut operation = json!({
        "operationId": id(route),
        "tags": [call.noun],
        "summary": call.summary,
        "description": details,
        "responses": responses(call, components),
        "x-codeSamples": [{ "lang": "Shell", "label": "curl", "source": curl(route) }],
    });
    let schemes: Vec<Value> = call.who.schemes().iter().map(|scheme| security(*scheme)).collect();
    let parameters: Vec<Value> = parameters(route).map(|given| parameter(route, given)).collect();
    if let Some(operation) = operation.as_object_mut() {
        operation.insert("security".to_owned(), schemes.into());
        if !parameters.is_empty() {
            operation.insert("parameters".to_owned(), parameters.into());
        }
        if let Some(body) = &call.body {
            operation.insert("requestBody".to_owned(), request_body(body, components));
        }
    }
    operation
}

/// A name for programs: the method and the words of the path.
fn id(route: &Route) -> String {
    let words = route.path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let capital = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    let end = if route.path.len() > 1 && route.path.ends_with('/') { "Slash" } else { "" };
    route.method.to_ascii_lowercase() + &words.map(capital).collect::<String>() + end
}

fn security(scheme: Option<&str>) -> Value {
    scheme.map(|name| (name.to_owned(), json!([]))).into_iter().collect::<Map<_, _>>().into()
}

/// The parameters of a call that the route has: calls with several routes say more of paths than each of
/// these has.
fn parameters(route: &Route) -> impl Iterator<Item = &Parameter> {
    let segments: Vec<_> = route.segments().collect();
    let is_here =
        move |parameter: &&Parameter| parameter.place != Place::Path || segments.contains(&parameter.name);
    route.call.parameters.iter().filter(is_here)
}

fn parameter(route: &Route, parameter: &Parameter) -> Value {
    let place = match parameter.place {
        Place::Query => "query",
        Place::Path => "path",
        Place::Header => "header",
    };
    let mut value = json!({
        "in": place,
        "name": parameter.name,
        "description": parameter.text,
        "required": parameter.is_required,
        "schema": parameter.schema,
    });
    // OpenAPI has no word for a parameter that contains slashes.
    let goes_on =
        parameter.place == Place::Path && route.path.ends_with(&format!("{{{}...}}", parameter.name));
    if let (true, Some(value)) = (goes_on, value.as_object_mut()) {
        value.insert("x-several-segments".to_owned(), true.into());
    }
    value
}

fn request_body(body: &Body, components: &mut Components) -> Value {
    match body {
        Body::Json { schema, example, is_required, is_form_too } => {
            let schema = components.of_request(*schema);
            let json = json!({ "schema": schema, "example": example });
            let mut content = Map::from_iter([(JSON.to_owned(), json.clone())]);
            if *is_form_too {
                content.insert(URLENCODED.to_owned(), json.clone());
                content.insert(MULTIPART.to_owned(), json);
            }
            json!({ "required": is_required, "content": content })
        }
        Body::Form { fields, files } => {
            let of_fields = fields.iter().map(|(name, schema, _)| (*name, components.of_request(*schema)));
            let of_fields: Vec<_> = of_fields.collect();
            let example: Map<_, _> =
                fields.iter().map(|(name, _, example)| ((*name).to_owned(), example.clone())).collect();
            let mut content = Map::new();
            content.insert(MULTIPART.to_owned(), form(&of_fields, &example, *files));
            if *files != Files::Required {
                content.insert(URLENCODED.to_owned(), form(&of_fields, &example, Files::None));
            }
            json!({ "required": true, "content": content })
        }
    }
}

/// A form with JSON in its fields, and perhaps files.
fn form(fields: &[(&str, Value)], example: &Map<String, Value>, files: Files) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    let mut encoding = Map::new();
    for (name, schema) in fields {
        properties.insert((*name).to_owned(), schema.clone());
        required.push(*name);
        encoding.insert((*name).to_owned(), json!({ "contentType": JSON }));
    }
    if files != Files::None {
        let items = json!({ "type": "string", "contentMediaType": "application/octet-stream" });
        let file = json!({ "description": "Files, with their names.", "type": "array", "items": items });
        properties.insert("file".to_owned(), file);
    }
    if files == Files::Required {
        required.push("file");
    }
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    // An example of a file would be its bytes.
    let mut form = json!({ "schema": schema, "encoding": encoding });
    if let (true, Some(form)) = (files != Files::Required, form.as_object_mut()) {
        form.insert("example".to_owned(), example.clone().into());
    }
    form
}
