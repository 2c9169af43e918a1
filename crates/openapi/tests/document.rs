//! Properties of the document that do not depend on single components.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};
use spindrift_openapi::routes;
use spindrift_web::ErrorCode;
use spindrift_web::describe::{Content, Place, document};

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| document(&routes()));

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().parent().unwrap()
}

fn operations() -> impl Iterator<Item = (String, &'static Value)> {
    DOCUMENT["paths"].as_object().unwrap().iter().flat_map(|(path, methods)| {
        methods.as_object().unwrap().iter().map(move |(method, call)| (format!("{method} {path}"), call))
    })
}

/// Calls `visit` with each object in a value, and with where it is.
fn each_object(value: &Value, place: &str, visit: &mut impl FnMut(&str, &serde_json::Map<String, Value>)) {
    match value {
        Value::Object(entries) => {
            visit(place, entries);
            entries.iter().for_each(|(key, value)| each_object(value, &format!("{place}/{key}"), visit));
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(at, item)| each_object(item, &format!("{place}/{at}"), visit));
        }
        _ => {}
    }
}

#[test]
fn every_component_is_described() {
    let folders = std::fs::read_dir(root().join("components")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    // The pages of the console and those of applications are for people, and `edge` has no calls of its own.
    let folders: BTreeSet<String> =
        names.filter(|name| !["console", "edge", "get"].contains(&name.as_str())).collect();

    let described: BTreeSet<String> = routes().iter().map(|route| route.component.to_owned()).collect();

    assert_eq!(described, folders);
}

#[test]
fn every_route_is_a_call_of_the_document_and_there_are_no_others() {
    let of_routes: BTreeSet<String> = routes()
        .iter()
        .map(|route| format!("{} {}", route.method.to_ascii_lowercase(), route.path.replace("...", "")))
        .collect();

    assert_eq!(operations().map(|(name, _)| name).collect::<BTreeSet<_>>(), of_routes);
}

#[test]
fn segments_are_described_where_they_are() {
    for route in routes() {
        let described = |name: &str| {
            route.call.parameters.iter().any(|given| given.place == Place::Path && given.name == name)
        };
        for name in route.segments() {
            assert!(described(name), "{} {}: {name}", route.method, route.path);
        }
        let siblings: Vec<_> =
            routes().into_iter().filter(|other| other.component == route.component).collect();
        for given in route.call.parameters.iter().filter(|given| given.place == Place::Path) {
            assert!(
                siblings.iter().any(|other| other.segments().any(|name| name == given.name)),
                "{} has no {}",
                route.component,
                given.name
            );
        }
    }
}

#[test]
fn the_list_of_errors_has_every_code() {
    let errors = std::fs::read_to_string(root().join("docs/api/errors.md")).unwrap();
    // A code with two statuses has two rows.
    let mut listed: Vec<&str> = errors
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(word, _)| word)
        .collect();
    listed.dedup();
    let known: Vec<&str> = ErrorCode::ALL.iter().map(ErrorCode::as_str).collect();
    assert_eq!(listed, known);
}

#[test]
fn statuses_have_the_codes_that_the_list_of_errors_has() {
    let errors = std::fs::read_to_string(root().join("docs/api/errors.md")).unwrap();
    for route in routes() {
        for answer in &route.call.answers {
            for content in &answer.contents {
                let Content::Error(codes) = content else { continue };
                for code in codes {
                    let row = format!("| `{code}` | {} |", answer.status);
                    assert!(errors.contains(&row), "{}: docs/api/errors.md has no {row}", route.path);
                }
            }
        }
    }
}

/// The types of `crates/api` that are not bodies, and those that are only parts of others.
const NO_BODIES: [&str; 14] = [
    "AuditLine",
    "CatalogKind",
    "DETAILS_CONTENT_TYPE",
    "DETAILS_ENCODING",
    "ErrorCode",
    "LatestBody",
    "CheckLinks",
    "Percentage",
    "PublisherNames",
    "RawJson",
    "ResultBody",
    "TokenEntry",
    "role_name",
    "shut_off_clients",
];

#[test]
fn every_wire_type_has_a_schema() {
    let source = std::fs::read_to_string(root().join("crates/api/src/lib.rs")).unwrap();
    let names: Vec<&str> = source
        .split("pub use ")
        .skip(1)
        .map(|uses| uses.split_once(';').unwrap().0.split_once("::").unwrap().1)
        .flat_map(|names| names.trim_matches(['{', '}']).split(','))
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    assert!(names.len() > 80, "{names:?}");
    let schemas = DOCUMENT["components"]["schemas"].as_object().unwrap();
    let has = |name: &str| schemas.contains_key(name) || schemas.contains_key(&format!("{name}Request"));

    let without: Vec<&str> =
        names.into_iter().filter(|name| !has(name) && !NO_BODIES.contains(name)).collect();

    assert_eq!(without, Vec::<&str>::new());
}

#[test]
fn everything_has_a_description() {
    let mut without = Vec::new();
    each_object(&DOCUMENT["components"]["schemas"], "", &mut |place, schema| {
        for key in ["properties", "patternProperties"] {
            let fields = schema.get(key).and_then(Value::as_object).into_iter().flatten();
            for (name, field) in fields.filter(|(_, field)| field.is_object()) {
                // Not a link of rustdoc, which leads nowhere here.
                let text = field["description"].as_str().unwrap_or_default();
                if text.is_empty() || text.contains("[`") {
                    without.push(format!("{place}: {name}"));
                }
            }
        }
    });
    for (name, call) in operations() {
        let parameters = call["parameters"].as_array().into_iter().flatten();
        let fields = parameters.map(|given| &given["description"]);
        for text in fields.chain([&call["summary"], &call["description"]]) {
            if text.as_str().unwrap_or_default().is_empty() {
                without.push(name.clone());
            }
        }
    }
    assert_eq!(without, Vec::<String>::new());
}

#[test]
fn references_lead_somewhere() {
    each_object(&DOCUMENT, "", &mut |place, object| {
        if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
            let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{place}: {reference}"));
            assert!(DOCUMENT.pointer(pointer).is_some(), "{place}: {reference}");
        }
    });
}

#[test]
fn calls_have_names_of_their_own() {
    let names: Vec<&str> = operations().map(|(_, call)| call["operationId"].as_str().unwrap()).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
}

#[test]
fn every_noun_is_in_the_contents() {
    let listed: BTreeSet<&str> =
        DOCUMENT["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    let used: BTreeSet<&str> = operations().map(|(_, call)| call["tags"][0].as_str().unwrap()).collect();
    assert_eq!(used, listed);
}

#[test]
fn examples_match_their_schemas() {
    let mut count = 0;
    for (name, call) in operations() {
        for (content_type, content) in call["requestBody"]["content"].as_object().into_iter().flatten() {
            let Some(example) = content.get("example") else { continue };
            let schema = json!({
                "allOf": [content["schema"]],
                "components": { "schemas": DOCUMENT["components"]["schemas"] },
            });
            let validator = jsonschema::draft202012::options().build(&schema).unwrap();
            if let Err(error) = validator.validate(example) {
                panic!("{name} ({content_type}): {error}");
            }
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

#[test]
fn the_committed_file_matches_the_components() {
    let file = std::fs::read_to_string(root().join("components/docs/pages/openapi.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&file).unwrap(), *DOCUMENT);
}
