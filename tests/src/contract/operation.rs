//! One call: the answers that it may give.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use http::Method;
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::answer::Answer;

const JSON: &str = "application/json";

/// A call of the document.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) method: Method,
    answers: BTreeMap<u16, Documented>,
}

/// An answer of the document.
#[derive(Debug)]
struct Documented {
    /// Empty: no body.
    content_types: Vec<String>,
    /// The schema of its JSON.
    schema: Value,
    /// The document, to which it refers.
    document: Arc<Value>,
    compiled: OnceLock<Validator>,
}

impl Operation {
    /// `closed`: the document, as [`closed`] makes it.
    pub(super) fn new(method: &str, path: &str, closed: &Arc<Value>) -> Self {
        let answers = closed["paths"][path][method]["responses"].as_object().expect("answers").iter();
        let answers = answers.map(|(status, answer)| {
            (status.parse().expect("a status"), Documented::new(resolved(closed, answer), closed))
        });
        Self { method: method.to_ascii_uppercase().parse().expect("a method"), answers: answers.collect() }
    }

    /// What is wrong with an answer to this call, or to the same as `HEAD`.
    pub(super) fn check(&self, method: &Method, answer: &Answer) -> Result<(), String> {
        let Some(documented) = self.answers.get(&answer.status) else {
            return Err(format!("{} is not documented: {}", answer.status, answer.text()));
        };
        if *method == Method::HEAD {
            return Ok(());
        }
        documented.check(answer).map_err(|error| format!("{}: {error}: {}", answer.status, answer.text()))
    }
}

impl Documented {
    fn new(answer: &Value, document: &Arc<Value>) -> Self {
        let content_types = answer["content"].as_object().into_iter().flat_map(Map::keys).cloned().collect();
        let schema = answer["content"][JSON]["schema"].clone();
        Self { content_types, schema, document: document.clone(), compiled: OnceLock::new() }
    }

    fn check(&self, answer: &Answer) -> Result<(), String> {
        if self.content_types.is_empty() {
            return if answer.body.is_empty() {
                Ok(())
            } else {
                Err("a body that is not documented".to_owned())
            };
        }
        let content_type = answer.header("content-type");
        if content_type == JSON && self.content_types.iter().any(|known| known == JSON) {
            return self.check_json(answer);
        }
        let is_known = self.content_types.iter().any(|known| known == "*/*" || known == content_type);
        if is_known { Ok(()) } else { Err(format!("the content type `{content_type}` is not documented")) }
    }

    fn check_json(&self, answer: &Answer) -> Result<(), String> {
        let body: Value = serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
        let compiled = self.compiled.get_or_init(|| {
            let components = json!({ "schemas": self.document["components"]["schemas"] });
            let schema = json!({ "allOf": [self.schema], "components": components });
            jsonschema::draft202012::options().build(&schema).expect("a valid schema")
        });
        compiled.validate(&body).map_err(|error| format!("{error} at {}", error.instance_path()))
    }
}

/// What a reference leads to, if it is one.
fn resolved<'a>(document: &'a Value, answer: &'a Value) -> &'a Value {
    match answer["$ref"].as_str().and_then(|reference| reference.strip_prefix('#')) {
        Some(pointer) => document.pointer(pointer).expect("what is referred to"),
        None => answer,
    }
}

/// The document with bodies that have only the fields which it names. Readers have to take others too, but the service may
/// not answer what it does not document.
pub(super) fn closed(document: &Value) -> Value {
    let mut document = document.clone();
    let schemas = document["components"]["schemas"].as_object_mut().expect("schemas");
    for schema in schemas.values_mut().filter_map(Value::as_object_mut) {
        if schema.contains_key("properties") && !schema.contains_key("additionalProperties") {
            schema.insert("additionalProperties".to_owned(), false.into());
        }
    }
    document
}
