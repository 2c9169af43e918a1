//! Calls that schemathesis generates from the description of a running service.

use serde_json::{Map, Value, json};

use crate::packages::ClientPackage;

/// The same calls are generated each time.
const SEED: u32 = 20_261_122;

/// The calls, and their caller.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The service.
    pub url: &'a str,
    /// Its description: a URL, or the path of a file.
    pub document: &'a str,
    /// The login of the caller.
    pub token: &'a str,
    /// How many calls are made up for each one that is described, beside those that its limits suggest.
    pub examples: u32,
    /// Values that mean something to the service, by parameter: `query.owner`, `body.app_id`.
    pub words: &'a [(&'a str, &'a [&'a str])],
    /// Paths that are not called.
    pub without: &'a [&'a str],
}

/// The outcome.
#[derive(Debug)]
pub struct Answered {
    /// Whether every answer was as described.
    pub fits: bool,
    /// How many calls there were.
    pub calls: u64,
    /// Schemathesis's output about them.
    pub said: String,
}

/// Lets schemathesis call a service. `None`: Python is not installed, and a message reports that.
pub fn ask(asked: &Asked<'_>) -> Option<Answered> {
    static PACKAGE: ClientPackage = ClientPackage::python("schemathesis");
    let words: Map<String, Value> =
        asked.words.iter().map(|(name, values)| ((*name).to_owned(), json!(values))).collect();
    let question = json!({
        "url": asked.url, "document": asked.document, "token": asked.token, "seed": SEED, "examples": asked.examples, "words": words,
        "without": asked.without,
    });
    let mut answer = PACKAGE.available()?.run("check.py", &question);
    let (fits, calls) = (answer["fits"] == true, answer["calls"].as_u64().unwrap_or_default());
    let said = answer["said"].take().as_str().unwrap_or_default().to_owned();
    println!("{said}");
    Some(Answered { fits, calls, said })
}
