//! The service's description of its interface, compared with its answers. Every answer that the
//! tests' client gets is checked: its path and method must be known, and its status and body
//! documented.

mod operation;
mod schemas;

use std::sync::LazyLock;

use http::Method;
use serde_json::Value;

use self::operation::Operation;
use self::schemas::Schemas;
use crate::answer::Answer;

/// The document that the service serves as `/openapi.json`.
pub const DOCUMENT: &str = include_str!("../../components/docs/pages/openapi.json");

/// The contract of this workspace. Read once: the schemas are compiled as they are needed.
static OWN: LazyLock<Contract> =
    LazyLock::new(|| Contract::new(serde_json::from_str(DOCUMENT).expect("a document of JSON")));

/// The calls of a document.
#[derive(Debug)]
pub struct Contract {
    paths: Vec<Path>,
    schemas: Schemas,
}

/// A path, and the calls under it.
#[derive(Debug)]
struct Path {
    segments: Vec<Segment>,
    operations: Vec<Operation>,
}

#[derive(Debug)]
enum Segment {
    Word(String),
    /// Any one that is not empty.
    Any,
    /// This one, which is not empty, and all that follow.
    Rest,
}

impl Contract {
    /// Reads a document.
    pub fn new(document: Value) -> Self {
        let paths = document["paths"].as_object().expect("paths").iter();
        let paths = paths.map(|(path, methods)| Path::new(path, methods, &document)).collect();
        Self { paths, schemas: Schemas::new(document) }
    }

    /// The contract of the service.
    pub fn own() -> &'static Self {
        &OWN
    }

    /// Checks an answer. `path` has no query.
    pub fn check(&self, method: &Method, path: &str, answer: &Answer) -> Result<(), String> {
        // A page for people, or the answer to browsers who ask about another call.
        let is_preflight = *method == Method::OPTIONS && answer.status == 204 && answer.body.is_empty();
        let is_way_to_console =
            path == "/" && answer.status == 302 && answer.header("location") == "/console/";
        let is_page = path == "/console" || path.starts_with("/console/") || path.starts_with("/get/");
        if is_preflight || is_way_to_console || is_page {
            return Ok(());
        }
        let expect = |status, code| expect(method, answer, status, code);
        let Some(found) = self.find(path) else {
            return expect(404, "not_found").map_err(|error| format!("an unknown path, {error}"));
        };
        let asked = if *method == Method::HEAD { &Method::GET } else { method };
        match found.operations.iter().find(|operation| operation.method == *asked) {
            Some(operation) => operation.check(method, answer, &self.schemas),
            None => expect(405, "method_not_allowed")
                .map_err(|error| format!("a method that is not documented, {error}")),
        }
    }

    /// The path with the most words among those that match, as hosts choose.
    fn find(&self, path: &str) -> Option<&Path> {
        let asked: Vec<&str> = path.split('/').collect();
        let matching = self.paths.iter().filter(|known| known.matches(&asked));
        matching.max_by_key(|known| known.words())
    }
}

/// An error that every path can answer.
fn expect(method: &Method, answer: &Answer, status: u16, code: &str) -> Result<(), String> {
    let is_told = if *method == Method::HEAD {
        answer.body.is_empty()
    } else {
        !answer.body.is_empty() && answer.code() == code
    };
    if answer.status == status && is_told {
        return Ok(());
    }
    Err(format!("{} instead of {status} {code}: {}", answer.status, answer.text()))
}

impl Path {
    fn new(path: &str, methods: &Value, document: &Value) -> Self {
        let operations = methods.as_object().expect("methods").iter();
        let operations = operations.map(|(method, _)| Operation::new(method, path, document)).collect();
        let goes_on = |name: &str| {
            methods.as_object().into_iter().flat_map(|all| all.values()).any(|operation| {
                let parameters = operation["parameters"].as_array().into_iter().flatten();
                parameters
                    .into_iter()
                    .any(|given| given["name"] == name && given["x-several-segments"] == true)
            })
        };
        let segment = |text: &str| match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            Some(name) if goes_on(name) => Segment::Rest,
            Some(_) => Segment::Any,
            None => Segment::Word(text.to_owned()),
        };
        Self { segments: path.split('/').map(segment).collect(), operations }
    }

    fn matches(&self, asked: &[&str]) -> bool {
        let fits = |(segment, asked): (&Segment, &&str)| match segment {
            Segment::Word(word) => word == asked,
            Segment::Any | Segment::Rest => !asked.is_empty(),
        };
        let is_open = matches!(self.segments.last(), Some(Segment::Rest));
        let has_length = asked.len() == self.segments.len() || (is_open && asked.len() > self.segments.len());
        has_length && self.segments.iter().zip(asked).all(fits)
    }

    fn words(&self) -> usize {
        self.segments.iter().filter(|segment| matches!(segment, Segment::Word(_))).count()
    }
}
