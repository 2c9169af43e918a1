//! The shared parts of the document: the schemas of wire types, and errors that many calls answer. The schema
//! for reading may differ from that for writing: a value with a default can be left out of a request, and is
//! always in an answer.

use std::collections::BTreeSet;

use schemars::generate::{Contract, SchemaSettings};
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::describe::SchemaOf;

/// Where schemas are in the document.
const FOLDER: &str = "/components/schemas";
/// The suffix for a type's name in requests, if its form differs from that in answers.
const OF_REQUESTS: &str = "Request";

/// The schemas and errors used so far.
pub(crate) struct Components {
    requests: SchemaGenerator,
    answers: SchemaGenerator,
    errors: Map<String, Value>,
}

impl Components {
    pub(crate) fn new() -> Self {
        let (requests, answers) = (generator(Contract::Deserialize), generator(Contract::Serialize));
        Self { requests, answers, errors: Map::new() }
    }

    /// A type as the service reads it.
    pub(crate) fn of_request(&mut self, schema: SchemaOf) -> Value {
        Schema::into(schema(&mut self.requests))
    }

    /// A type as the service writes it.
    pub(crate) fn of_answer(&mut self, schema: SchemaOf) -> Value {
        Schema::into(schema(&mut self.answers))
    }

    /// An error by its name. `response` makes it, unless it is known.
    pub(crate) fn error(&mut self, name: String, response: impl FnOnce(&mut Self) -> Value) -> Value {
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        if !self.errors.contains_key(&name) {
            let response = response(self);
            self.errors.insert(name, response);
        }
        reference
    }

    /// All schemas and all errors by name. `requests` gets every schema outside that a request has: its
    /// references may have new names now.
    pub(crate) fn finish<'a>(
        mut self,
        requests: impl Iterator<Item = &'a mut Value>,
    ) -> (Map<String, Value>, Map<String, Value>) {
        let mut all = self.answers.take_definitions(true);
        let mut read = self.requests.take_definitions(true);
        let other = differing(&read, &all);
        read.values_mut().for_each(|schema| rename(schema, &other));
        requests.for_each(|schema| rename(schema, &other));
        for (name, schema) in read {
            all.insert(if other.contains(&name) { name + OF_REQUESTS } else { name }, schema);
        }
        (all, self.errors)
    }
}

fn generator(contract: Contract) -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = FOLDER.into();
    settings.contract = contract;
    SchemaGenerator::new(settings)
}

/// The names of the types that differ, or refer to one that does.
fn differing(read: &Map<String, Value>, written: &Map<String, Value>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    loop {
        let more: Vec<String> = read
            .iter()
            .filter(|(name, _)| !found.contains(*name))
            .filter(|(name, schema)| {
                let known = written.get(*name);
                known.is_some_and(|known| known != *schema || refers(schema, &found))
            })
            .map(|(name, _)| name.clone())
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// The name of the type that a schema refers to.
fn referred(key: &str, value: &Value) -> Option<String> {
    let path = value.as_str().filter(|_| key == "$ref")?;
    path.strip_prefix('#')?.strip_prefix(FOLDER)?.strip_prefix('/').map(str::to_owned)
}

fn refers(schema: &Value, names: &BTreeSet<String>) -> bool {
    match schema {
        Value::Object(entries) => entries.iter().any(|(key, value)| {
            referred(key, value).is_some_and(|name| names.contains(&name)) || refers(value, names)
        }),
        Value::Array(items) => items.iter().any(|item| refers(item, names)),
        _ => false,
    }
}

fn rename(schema: &mut Value, names: &BTreeSet<String>) {
    match schema {
        Value::Object(entries) => {
            for (key, value) in entries.iter_mut() {
                match referred(key, value).filter(|name| names.contains(name)) {
                    Some(name) => *value = format!("#{FOLDER}/{name}{OF_REQUESTS}").into(),
                    None => rename(value, names),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, names)),
        _ => {}
    }
}
