//! One call: the answers that it may give.

use std::collections::BTreeMap;

use http::Method;
use serde_json::{Map, Value};

use super::schemas::Schemas;
use crate::answer::Answer;

const JSON: &str = "application/json";

/// A call of the document.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) method: Method,
    answers: BTreeMap<u16, Documented>,
}

#[derive(Debug)]
struct Documented {
    /// Empty: no body.
    content_types: Vec<String>,
    /// The place of the schema of its JSON.
    schema: String,
}

impl Operation {
    pub(super) fn new(method: &str, path: &str, document: &Value) -> Self {
        let place = format!("/paths/{}/{method}/responses", path.replace('/', "~1"));
        let answers = document.pointer(&place).and_then(Value::as_object).expect("answers").keys();
        let answers = answers.map(|status| {
            let documented = Documented::new(&format!("{place}/{status}"), document);
            (status.parse().expect("a status"), documented)
        });
        Self { method: method.to_ascii_uppercase().parse().expect("a method"), answers: answers.collect() }
    }

    /// The problem of an answer to this call, or to the same as `HEAD`.
    pub(super) fn check(&self, method: &Method, answer: &Answer, schemas: &Schemas) -> Result<(), String> {
        let Some(documented) = self.answers.get(&answer.status) else {
            return Err(format!("{} is not documented: {}", answer.status, answer.text()));
        };
        if *method == Method::HEAD {
            return Ok(());
        }
        let checked = documented.check(answer, schemas);
        checked.map_err(|error| format!("{}: {error}: {}", answer.status, answer.text()))
    }
}

impl Documented {
    /// `place`: where the document has the answer, or a reference to it.
    fn new(place: &str, document: &Value) -> Self {
        let answer = document.pointer(place).expect("an answer");
        let reference = answer["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        let place = reference.unwrap_or(place);
        let content = document.pointer(&format!("{place}/content")).and_then(Value::as_object);
        Self {
            content_types: content.into_iter().flat_map(Map::keys).cloned().collect(),
            schema: format!("{place}/content/application~1json/schema"),
        }
    }

    fn check(&self, answer: &Answer, schemas: &Schemas) -> Result<(), String> {
        if self.content_types.is_empty() {
            return if answer.body.is_empty() {
                Ok(())
            } else {
                Err("a body that is not documented".to_owned())
            };
        }
        let content_type = answer.header("content-type");
        if content_type == JSON && self.content_types.iter().any(|known| known == JSON) {
            let body = serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
            return schemas.check(&self.schema, &body);
        }
        let is_known = self.content_types.iter().any(|known| known == "*/*" || known == content_type);
        if is_known { Ok(()) } else { Err(format!("the content type `{content_type}` is not documented")) }
    }
}
