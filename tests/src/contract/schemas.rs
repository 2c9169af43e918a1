//! The schemas of a document, compiled as they are needed.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use jsonschema::{Draft, Registry, RegistryBuilder, Validator};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

/// The name under which schemas refer to the document.
const DOCUMENT: &str = "urn:interface";
/// The characters that a URI need not escape, after `#`.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'~').remove(b'.').remove(b'-').remove(b'_');

pub(super) struct Schemas {
    registry: Registry<'static>,
    /// By their places. Calls with the same errors share them.
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

impl fmt::Debug for Schemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Schemas")
    }
}

impl Schemas {
    /// Bodies have only the fields that the document names. Readers have to take others too, but the service
    /// may not answer undocumented fields.
    pub(super) fn new(mut document: Value) -> Self {
        let schemas = document["components"]["schemas"].as_object_mut().expect("schemas");
        for schema in schemas.values_mut().filter_map(Value::as_object_mut) {
            if schema.contains_key("properties") && !schema.contains_key("additionalProperties") {
                schema.insert("additionalProperties".to_owned(), false.into());
            }
        }
        let registry = Registry::new().draft(Draft::Draft202012).add(DOCUMENT, document);
        let registry = registry.and_then(RegistryBuilder::prepare).expect("a document of schemas");
        Self { registry, compiled: Mutex::default() }
    }

    /// The problem of a value by the schema at this place, a JSON pointer.
    pub(super) fn check(&self, place: &str, value: &Value) -> Result<(), String> {
        let compiled = self.compiled(place);
        compiled.validate(value).map_err(|error| format!("{error} at {}", error.instance_path()))
    }

    fn compiled(&self, place: &str) -> Arc<Validator> {
        let mut known = self.compiled.lock().expect("the schemas");
        if let Some(compiled) = known.get(place) {
            return compiled.clone();
        }
        let schema = json!({ "$ref": format!("{DOCUMENT}#{}", utf8_percent_encode(place, PLAIN)) });
        let options = jsonschema::draft202012::options();
        let compiled = options.with_registry(&self.registry).build(&schema).expect("a valid schema");
        known.entry(place.to_owned()).or_insert_with(|| Arc::new(compiled)).clone()
    }
}
