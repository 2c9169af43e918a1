//! Bodies that no command would send: refused, with a short text that repeats nothing, and without a trace.

mod addresses;
mod bodies;
mod changed_bytes;
mod lists;
mod roots;

use serde_json::Value;
use spindrift_tests::Answer;
use spindrift_tests::trust::repository::TARGETS;

use super::super::days_ago;
use super::hosted::{Hosted, json};

/// Longest text of a refusal, in characters. The rule of names is the longest one.
const MAX_TEXT: usize = 200;

/// Sends a body as it is.
fn post(hosted: &Hosted, path: &str, body: &str) -> Answer {
    let call = hosted.acme.post(&format!("/tuf/v1/{path}?appName=notes"));
    call.header("content-type", "application/json").body(body.as_bytes()).send()
}

/// Refused with one of these statuses, in a few words that do not repeat `secret`.
fn refused(answer: &Answer, statuses: &[u16], case: &str) {
    let text = answer.text();
    assert!(statuses.contains(&answer.status), "{case}: {} {}", answer.status, text);
    assert!(text.len() < MAX_TEXT, "{case}: {text}");
    assert!(!text.contains("zzz"), "{case}: {text}");
    println!("{case}: {} {}", answer.status, text);
}

/// The current metadata, and the waiting files.
fn state(hosted: &Hosted) -> Vec<Value> {
    ["bootstrap", "metadata/root", "metadata/targets", "metadata/sign"]
        .map(|path| hosted.publisher.get(path).json())
        .to_vec()
}

/// The next list, which nobody has signed yet.
fn next_list(hosted: &Hosted) -> Value {
    let mut next = hosted.repository.clone();
    next.write_list(TARGETS, days_ago(0));
    json(&next.metadata[&next.newest(TARGETS)])["signed"].take()
}

/// The next root, which nobody has signed yet.
fn next_root(hosted: &Hosted) -> Value {
    let mut next = hosted.repository.clone();
    next.write_root(next.keys.clone(), days_ago(0));
    json(next.root())["signed"].take()
}
