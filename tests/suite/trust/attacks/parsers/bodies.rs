//! Bodies that are not metadata.

use spindrift_tests::{Driver, on_hosts};

use super::super::hosted::Hosted;
use super::{next_list, post, refused, state};
use spindrift_tests::trust::publisher::file;

on_hosts! {
    every: [bodies_that_are_no_metadata],
}

/// Levels of nesting.
const DEPTH: usize = 10_000;

fn deep_arrays() -> String {
    ["[".repeat(DEPTH), "]".repeat(DEPTH)].concat()
}

fn deep_objects() -> String {
    ["{\"a\":".repeat(DEPTH), "1".to_owned(), "}".repeat(DEPTH)].concat()
}

fn with_targets(text: &str) -> String {
    format!("{{\"metadata\":{{\"targets\":{text}}}}}")
}

/// Bodies around a good list.
fn wrong_bodies(list: &str) -> Vec<(&'static str, String)> {
    vec![
        ("nothing", String::new()),
        ("no JSON", "zzz".to_owned()),
        ("an array", "[]".to_owned()),
        ("null", "null".to_owned()),
        ("no metadata", "{}".to_owned()),
        ("no files", r#"{"metadata":{}}"#.to_owned()),
        ("metadata in an array", r#"{"metadata":[]}"#.to_owned()),
        ("null for a file", with_targets("null")),
        ("a number for a file", with_targets("7")),
        ("a text for a file", with_targets("\"zzz\"")),
        ("deep arrays", with_targets(&deep_arrays())),
        ("deep objects", with_targets(&deep_objects())),
        ("a deep body", deep_objects()),
        ("half a file", with_targets(&list[..list.len() / 2])),
        ("two files at once", with_targets(&format!("{list}{list}"))),
        ("a role that there is not", format!("{{\"metadata\":{{\"zzz\":{list}}}}}")),
        ("a role that leads elsewhere", format!("{{\"metadata\":{{\"channel-../zzz\":{list}}}}}")),
        ("an encoded one", format!("{{\"metadata\":{{\"channel-%2e%2e%2fzzz\":{list}}}}}")),
        ("the service's role", format!("{{\"metadata\":{{\"timestamp\":{list}}}}}")),
        ("a list as root", format!("{{\"metadata\":{{\"root\":{list}}}}}")),
        ("a list of a channel without signers", format!("{{\"metadata\":{{\"channel-zzz\":{list}}}}}")),
    ]
}

/// A good list with one thing changed.
fn wrong_lists(list: &str) -> Vec<(&'static str, String)> {
    let with = |from: &str, to: &str| {
        let changed = list.replacen(from, to, 1);
        assert_ne!(changed, list, "{from}");
        with_targets(&changed)
    };
    vec![
        ("a version with a fraction", with("\"version\":", "\"version\":1.5,\"x\":")),
        ("an exponent", with("\"version\":", "\"version\":1e9,\"x\":")),
        ("a number too large", with("\"version\":", "\"version\":9007199254740992,\"x\":")),
        ("a negative number", with("\"version\":", "\"version\":-1,\"x\":")),
        ("a field twice", with("\"version\":", "\"version\":1,\"version\":")),
        ("a field that there is not", with("\"version\":", "\"zzz\":1,\"version\":")),
        ("a field beside", with("\"signatures\":", "\"zzz\":1,\"signatures\":")),
        ("a field of a target", with("\"length\":", "\"zzz\":1,\"length\":")),
        ("a field of custom", with("\"arch\":", "\"zzz\":1,\"arch\":")),
        ("a null", with("\"version\":", "\"version\":null,\"x\":")),
        ("a text that is not ASCII", with("\"amd64\"", "\"zzzä\"")),
        ("an escaped one", with("\"amd64\"", "\"zzz\\u00e4\"")),
        ("a line end", with("\"amd64\"", "\"zzz\\u0000\"")),
        ("another specification", with("1.0.31", "2.0.0")),
        ("a time that is none", with("\"expires\":\"", "\"expires\":\"zzz")),
        ("a time with an offset", with("Z\"", "+00:00\"")),
        ("a signature that is none", with("\"sig\":\"", "\"sig\":\"zzz")),
        ("a signature in capitals", with("\"sig\":\"", "\"sig\":\"ABCDEF")),
        ("a key id that is none", with("\"keyid\":\"", "\"keyid\":\"zzz")),
    ]
}

/// Bodies of the other calls, by their paths.
fn wrong_calls(list: &str) -> Vec<(&'static str, String)> {
    let arrays = deep_arrays();
    vec![
        ("metadata/sign", r#"{"role":"zzz","signature":{"keyid":"0","sig":"0"}}"#.to_owned()),
        ("metadata/sign", r#"{"role":"../zzz","signature":{"keyid":"0","sig":"0"}}"#.to_owned()),
        ("metadata/sign", r#"{"role":"targets","signature":{"keyid":1,"sig":1}}"#.to_owned()),
        ("metadata/sign", r#"{"role":"targets","signature":[]}"#.to_owned()),
        ("metadata/sign", format!("{{\"role\":\"targets\",\"signature\":{arrays}}}")),
        ("metadata/sign/delete", r#"{"role":"zzz"}"#.to_owned()),
        ("metadata/sign/delete", r#"{"role":7}"#.to_owned()),
        (
            "metadata/delegated/rotate",
            format!("{{\"role\":\"channel-../zzz\",\"metadata\":{{\"targets\":{list}}}}}"),
        ),
        ("metadata/delegated/rotate", r#"{"role":"targets","metadata":{}}"#.to_owned()),
        ("bootstrap", "{}".to_owned()),
        ("bootstrap", format!("{{\"appName\":\"../a\",\"metadata\":{{\"root\":{list}}}}}")),
        ("bootstrap", format!("{{\"appName\":\"notes\",\"metadata\":{{\"root\":{list}}}}}")),
        ("bootstrap", format!("{{\"appName\":\"notes\",\"metadata\":{{\"root\":{arrays}}}}}")),
    ]
}

fn bodies_that_are_no_metadata(host: Driver) {
    let (hosted, _) = Hosted::new(host);
    let before = state(&hosted);
    let list = file(&next_list(&hosted), &hosted.repository.keys.targets.keys).to_string();
    for (case, body) in wrong_bodies(&list).into_iter().chain(wrong_lists(&list)) {
        refused(&post(&hosted, "metadata", &body), &[400], case);
    }
    let large = with_targets(&format!("\"{}\"", "z".repeat(7 << 20)));
    let answer = post(&hosted, "metadata", &large);
    assert_eq!(answer.status, 413, "{}", answer.text());
    for (path, body) in wrong_calls(&list) {
        refused(&post(&hosted, path, &body), &[400, 404], &format!("{path} {}", &body[..body.len().min(60)]));
    }
    assert_eq!(state(&hosted), before);
    // The list itself is good.
    let _taken = post(&hosted, "metadata", &with_targets(&list)).expect(200);
}
