//! Lists, exports and verifies the audit log.

use std::process::Stdio;
use std::sync::{Arc, Mutex};

use serde_json::json;
use spindrift_api::AuditLine;
use spindrift_core::audit::AuditHash;
use spindrift_tests::{Driver, World, on_hosts};

use crate::server::{nobody, serve_answer};
use crate::shell::{Finished, Shell};

on_hosts! {
    every: [the_log_of_a_service],
}

/// Page size of [`keeper`].
const PAGE: usize = 2;

/// The lines of an exported log, and its last hash.
fn log(count: u64) -> (Vec<String>, AuditHash) {
    let mut hash = AuditHash::START;
    let line = |seq| {
        let entry = json!({ "seq": seq, "at": "2026-11-21T01:43:42+00:00" }).to_string();
        hash = hash.followed_by(&entry);
        serde_json::to_string(&AuditLine { hash: hash.to_string(), entry }).unwrap() + "\n"
    };
    ((1..=count).map(line).collect(), hash)
}

fn success(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{body}")
}

/// A service with these lines.
fn keeper(lines: Vec<String>) -> String {
    serve_answer(move |request| {
        let after = request.split_once("after=").unwrap().1.split([' ', '&']).next().unwrap();
        let rest = lines.iter().skip(after.parse().unwrap());
        success(&rest.take(PAGE).map(String::as_str).collect::<String>())
    })
}

/// Runs a command with a token.
fn run(shell: &Shell, arguments: &[&str]) -> Finished {
    Finished::from(shell.command(arguments).env("SPINDRIFT_TOKEN", "token").output().unwrap())
}

fn file_names(shell: &Shell) -> Vec<String> {
    let entries = std::fs::read_dir(shell.path("")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn filters_become_the_query() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let url = serve_answer(move |request| {
        let path = request.split(' ').nth(1).unwrap();
        seen.lock().unwrap().push(path.to_owned());
        let item = |seq: u64| {
            json!({
                "seq": seq, "at": "2026-11-21T01:43:42+00:00", "kind": "token.create", "hash": "",
                "actor": { "type": "token", "id": "t1", "name": "ci" }, "text": "the token ci did it",
            })
        };
        let body = match path {
            path if path.contains("actor=eve") => json!({ "items": [] }),
            path if path.contains("after=9") => json!({ "items": [item(8)] }),
            _ => json!({ "items": [item(10), item(9)], "next": 9 }),
        };
        success(&body.to_string())
    });
    let shell = Shell::new(&url);
    let filters = ["--app", "notes", "--kind", "release.*", "--kind", "token.create", "--by", "ada"];
    let times = ["--since", "2026-11-01T00:00:00Z", "--until", "2026-12-01T00:00:00+02:00"];
    let list = [&["audit", "list"], &filters[..], &times, &["--limit", "1002"]].concat();
    let listed = run(&shell, &list);
    assert_eq!(
        listed.stdout,
        "ENTRY  TIME                       BY        CHANGE\n\
         10     2026-11-21T01:43:42+00:00  token ci  did it\n\
         9      2026-11-21T01:43:42+00:00  token ci  did it\n\
         8      2026-11-21T01:43:42+00:00  token ci  did it\n"
    );
    let query = "/audit?app=notes&kind=release.*%2Ctoken.create&actor=ada&from=2026-11-01T00%3A00%3A00Z\
                 &to=2026-12-01T00%3A00%3A00%2B02%3A00";
    let pages = [format!("{query}&limit=1000"), format!("{query}&limit=1000&after=9")];
    assert_eq!(asked.lock().unwrap()[..], pages);

    let short = run(&shell, &["audit", "list", "--limit", "2", "--by", "bob", "--json"]);
    assert_eq!(asked.lock().unwrap().last().unwrap(), "/audit?actor=bob&limit=2");
    assert_eq!(short.json()["items"].as_array().unwrap().len(), 2);
    assert!(short.stderr.contains("--limit"), "{short:?}");
    let none = run(&shell, &["audit", "list", "--by", "eve"]);
    assert_eq!((none.code, none.stderr.trim()), (Some(0), "no change by `eve` matches"));
    let _ = run(&shell, &["audit", "list", "--app", "notes", "--release", "1.0.0", "--limit", "2"]);
    assert_eq!(asked.lock().unwrap().last().unwrap(), "/audit?app=notes&version=1.0.0&limit=2");
    let done = run(&shell, &["audit", "list", "--release", "1.0.0"]);
    assert_eq!(done.error(2), "error: which application? --release needs --app");
}

#[test]
fn an_export_has_all_pages() {
    let (lines, hash) = log(5);
    let shell = Shell::new(&keeper(lines.clone()));
    for arguments in [&["audit", "export"][..], &["audit", "export", "audit.jsonl"]] {
        let done = run(&shell, arguments);
        assert_eq!((done.code, done.stderr), (Some(0), format!("5 {hash}\n")));
        let exported = match arguments.get(2) {
            Some(name) => std::fs::read_to_string(shell.path(name)).unwrap(),
            None => done.stdout,
        };
        assert_eq!(exported, lines.concat());
    }
    let done = run(&shell, &["audit", "verify"]);
    assert_eq!(done.stdout, format!("5 entries, the last one is 5 {hash}\n"));
}

#[test]
fn a_reader_that_stops_ends_the_export() {
    let (lines, _) = log(5);
    let shell = Shell::new(&keeper(lines));
    let run = |arguments: &[&str], is_error_read: bool| {
        let mut command = shell.command(arguments);
        let mut child = command
            .env("SPINDRIFT_TOKEN", "token")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        if !is_error_read {
            drop(child.stderr.take());
        }
        Finished::from(child.wait_with_output().unwrap())
    };
    let export = run(&["audit", "export"], true);
    assert_eq!((export.code, export.stderr.as_str()), (Some(141), ""));
    for arguments in [&["audit", "verify"][..], &["completions", "bash"], &["--help"]] {
        let done = run(arguments, true);
        assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
    assert_eq!(run(&["audit", "export", "audit.jsonl"], false).code, Some(0), "it cannot print the head");
    assert_eq!(run(&["audit", "verify", "missing.jsonl"], false).code, Some(8), "nor an error");
}

#[test]
fn a_broken_log_replaces_no_export() {
    let (mut lines, _) = log(5);
    lines[3] = lines[3].replace("2026", "2027");
    let shell = Shell::new(&keeper(lines));
    shell.write("audit.jsonl", "an earlier export");
    let before = file_names(&shell);
    for command in ["export", "verify"] {
        let name: &[&str] = if command == "export" { &["audit.jsonl"] } else { &[] };
        let done = run(&shell, &[&["audit", command], name].concat());
        assert!(done.error(9).starts_with("error: entry 4 does not have the hash"), "{done:?}");
    }
    assert_eq!(std::fs::read_to_string(shell.path("audit.jsonl")).unwrap(), "an earlier export");
    assert_eq!(file_names(&shell), before, "nothing is left behind");
    let done = run(&shell, &["audit", "export", "."]);
    assert!(done.error(2).contains("not a regular file"), "{done:?}");
}

#[test]
fn a_file_is_verified() {
    let shell = Shell::new(&nobody());
    let (lines, hash) = log(4);
    let head = format!("4:{hash}");
    let verify = |lines: &[String], rest: &[&str]| {
        shell.write("audit.jsonl", lines.concat());
        shell.run(&[&["audit", "verify", "audit.jsonl"], rest].concat())
    };
    let text = format!("4 entries, the last one is 4 {hash}\n");
    for head in [&[][..], &["--head", &head], &["--head", &head.replace(':', " ")]] {
        let done = verify(&lines, head);
        assert_eq!((done.code, &done.stdout), (Some(0), &text), "{done:?}");
    }
    let json = verify(&lines, &["--json"]).json();
    assert_eq!(json, json!({ "seq": 4, "hash": hash.to_string() }));
    assert_eq!(verify(&[], &[]).stdout, "0 entries\n");
    assert!(verify(&lines[..1], &[]).stdout.starts_with("1 entry, the last one is 1 "));
    assert_eq!(verify(&lines[..3], &[]).code, Some(0), "without a head, a missing end is not seen");

    let error = |lines: &[String], rest: &[&str]| verify(lines, rest).error(9).to_owned();
    let missing = error(&lines[..3], &["--head", &head]);
    assert!(missing.contains("the end is missing: the log has 3 of at least 4 entries"), "{missing}");
    let mut changed = lines.clone();
    changed[1] = changed[1].replace("2026", "2027");
    assert!(error(&changed, &[]).starts_with("error: entry 2 does not have the hash"));
    let without = [&lines[..1], &lines[2..]].concat();
    assert!(error(&without, &[]).contains("entry 2 is missing: entry 3 follows instead"));
    changed[1] = "no entry\n".to_owned();
    assert!(error(&changed, &[]).contains("the text after entry 1 is not an entry"));
    let done = verify(&lines, &["--head", "4"]);
    assert_eq!(done.code, Some(2), "{done:?}");
}

fn the_log_of_a_service(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let token = shell.ok(&["token", "create", "ci", "--app", "notes"]).stdout;
    shell.write("notes.deb", "content");
    let mut publish = shell.command(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    let published = Finished::from(publish.env("SPINDRIFT_TOKEN", token.trim()).output().unwrap());
    assert_eq!(published.code, Some(0), "{published:?}");
    shell.ok(&["yank", "1.0.0", "--app", "notes"]);

    let changes = |filters: &[&str]| {
        let listed = shell.ok(&[&["audit", "list", "--json"], filters].concat()).json();
        let items = listed["items"].as_array().unwrap();
        items.iter().map(|item| item["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let of_release = changes(&["--app", "notes", "--release", "1.0.0"]);
    assert_eq!(of_release.len(), 2, "{of_release:?}");
    assert!(of_release[0].starts_with("ada made notes 1.0.0 in stable a draft"), "{of_release:?}");
    assert!(of_release[1].starts_with("the token ci uploaded notes 1.0.0"), "{of_release:?}");
    assert_eq!(changes(&["--by", "ci"]), of_release[1..]);
    assert_eq!(changes(&["--by", "ada", "--kind", "release.*"]), of_release[..1]);
    shell.ok(&["token", "delete", "ci"]);
    assert_eq!(changes(&["--by", "ci"]), of_release[1..], "its name is found after it was revoked");
    let unknown = shell.run(&["audit", "list", "--app", "nots"]);
    assert!(unknown.error(5).contains("did you mean \"notes\"?"), "{unknown:?}");

    let head = shell.ok(&["audit", "export", "audit.jsonl"]).stderr;
    for file in [&["audit.jsonl"][..], &[]] {
        let verify = [&["audit", "verify", "--head", head.trim()], file].concat();
        assert!(shell.ok(&verify).stdout.ends_with(&format!("the last one is {head}")));
    }
}
