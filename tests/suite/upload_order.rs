//! Forms with files and their fields in any order; and refusals while the body is still being sent.

use std::io::Write as _;
use std::net::TcpStream;

use serde_json::json;
use spindrift_tests::{
    Account, Driver, Multipart, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, World, on_hosts, raw,
};

use crate::reports::team_user;

on_hosts! {
    every: [
        files_may_come_before_data,
        an_edit_may_have_its_files_first,
        files_before_refused_data_are_thrown_away,
        callers_without_any_upload_right_are_refused_at_once,
        data_is_checked_before_the_next_file_is_read,
    ],
    in_process: [a_refusal_reaches_a_client_that_is_still_sending],
}

/// Large enough to go to the storage in parts.
const LARGE: usize = 9 * 1024 * 1024;

fn assert_nothing_is_left(world: &World, what: &str) {
    assert_eq!(world.store().keys(PRIVATE_BUCKET, "pending/"), [""; 0], "{what}");
    let count = "SELECT (SELECT count(*) FROM upload_sessions WHERE state <> 'finished') + \
                 (SELECT count(*) FROM incoming_uploads) + (SELECT count(*) FROM object_claims)";
    let left: u32 = world.database().query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "{what}");
}

fn files_may_come_before_data(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let data = |version: &str| Release::empty(version).published().data().to_string();
    let large = vec![7; LARGE];

    for (version, form) in [
        ("1.0.0", Multipart::new().file("n.deb", &large).file("n.rpm", "small").field("data", data("1.0.0"))),
        ("2.0.0", Multipart::new().file("n.deb", &large).field("data", data("2.0.0")).file("n.rpm", "small")),
    ] {
        let answer = acme.post_multipart("/upload", form).ok();
        assert_eq!(answer["uploadResult.Uploaded"], json!(acme.release(version).id));
        assert_eq!(acme.check("0.1")["version"], version);
        let key = |package: &str| format!("acme/notes/stable/linux/amd64/notes-{version}.{package}");
        assert!(world.store().object(PUBLIC_BUCKET, &key("deb")) == Some(large.clone()));
        assert_eq!(world.store().object(PUBLIC_BUCKET, &key("rpm")).as_deref(), Some(&b"small"[..]));
        assert_nothing_is_left(&world, version);
    }
}

fn an_edit_may_have_its_files_first(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0"));
    let mut data = Release::empty("1.0.0").data().clone();
    data["id"] = json!(id);
    data["changelog"] = json!("More.");

    let form = Multipart::new().file("notes.rpm", "for Fedora").field("data", data.to_string());
    acme.post_multipart("/apps/update", form).ok();
    let alone = json!({ "id": id, "critical": true }).to_string();
    acme.post_multipart("/apps/update", Multipart::new().field("data", alone)).ok();

    let release = acme.release("1.0.0");
    assert_eq!(release.artifacts.len(), 2);
    assert_eq!((release.changelog[0].changes.as_str(), release.critical), ("More.", true));
    assert_nothing_is_left(&world, "after an edit");
}

fn files_before_refused_data_are_thrown_away(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let id = acme.publish(Release::new("1.0.0"));
    let large = vec![7; LARGE];
    let with_files = || Multipart::new().file("n.rpm", &large).file("n.msi", "x");
    let release = || Release::empty("2.0.0");

    for (what, path, data, status) in [
        ("not JSON", "/upload", "{".to_owned(), 400),
        ("no such application", "/upload", release().with("app_name", "no").data().to_string(), 404),
        ("an unknown channel", "/upload", release().with("channel", "no").data().to_string(), 400),
        ("an updater that needs more", "/upload", release().with("updater", "tauri").data().to_string(), 400),
        ("no such release", "/apps/update", json!({ "id": "no" }).to_string(), 404),
        (
            "another release",
            "/apps/update",
            json!({ "id": id, "app_name": "notes", "version": "9" }).to_string(),
            400,
        ),
    ] {
        let answer = acme.post_multipart(path, with_files().field("data", data)).send();
        assert_eq!(answer.status, status, "{what}: {}", answer.text());
        assert_nothing_is_left(&world, what);
    }
    let taken = Multipart::new().file("n.deb", "x").field("data", Release::empty("1.0.0").data().to_string());
    let answer = acme.post_multipart("/upload", taken).send().refusal();
    assert_eq!(answer, (409, "an artifact for n.deb exists".to_owned()));
    assert_nothing_is_left(&world, "a place that is taken");
    let mut unfinished = with_files().unfinished();
    unfinished.truncate(unfinished.len() - 2);
    let call = acme.post("/upload").header("content-type", &Multipart::content_type());
    assert_eq!(call.body(&unfinished).send().status, 400);
    assert_nothing_is_left(&world, "a form that ends early");
}

/// The answer to the beginning of a form whose rest never comes.
fn answer_to_the_beginning(world: &World, path: &str, who: &Account, beginning: Multipart) -> String {
    let body = beginning.unfinished();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n",
        who.authorization(),
        Multipart::content_type(),
        body.len() + LARGE,
    );
    raw(&world.url(), &[head.as_bytes(), &body].concat())
}

fn callers_without_any_upload_right_are_refused_at_once(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let app = acme.app_id("notes");
    let nobody =
        team_user(&world, &acme, "nobody", json!({ "edit": true, "delete": true, "allowed": [app] }));
    let no_app = team_user(&world, &acme, "no_app", json!({ "upload": true, "allowed": [] }));
    let stranger = acme.with_credential("a-token-of-nobody");

    for (who, status) in [(&stranger, "401"), (&nobody, "403"), (&no_app, "403")] {
        for path in ["/upload", "/apps/update"] {
            let beginning = Multipart::new().file("n.deb", "the first bytes of a file");
            let answer = answer_to_the_beginning(&world, path, who, beginning);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{} {path}: {answer}", who.name());
            assert_nothing_is_left(&world, who.name());
        }
    }
}

fn data_is_checked_before_the_next_file_is_read(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let data = Release::empty("1.0.0").with("app_name", "unknown").data().to_string();

    for before in [Multipart::new(), Multipart::new().file("n.rpm", "x")] {
        let beginning = before.field("data", &data).file("n.deb", "the first bytes of a file");
        let answer = answer_to_the_beginning(&world, "/upload", &acme, beginning);
        assert!(answer.starts_with("HTTP/1.1 404") && answer.contains("application not found"), "{answer}");
        assert_nothing_is_left(&world, "refused");
    }
}

/// Calls that are refused while their bodies are being sent.
const REFUSED: usize = 30;
/// Bytes of each body: more than fit into the buffers between client and server.
const BODY: usize = 8 * 1024 * 1024;

fn a_refusal_reaches_a_client_that_is_still_sending(host: Driver) {
    let world = World::new(host);
    let storage = world.store().url().to_owned();
    let body = vec![7; BODY];

    for n in 0..REFUSED {
        for (url, head, status) in [
            (world.url(), "POST /upload HTTP/1.1\r\nAuthorization: Bearer no\r\n", "401"),
            (storage.clone(), "PUT /spindrift-private/x HTTP/1.1\r\nContent-MD5: no\r\n", "403"),
        ] {
            let head = format!(
                "{head}Host: x\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: {BODY}\r\n\r\n"
            );
            let mut stream = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(&body).unwrap_or_else(|error| panic!("call {n}: {error}"));
            let mut answer = String::new();
            std::io::Read::read_to_string(&mut stream, &mut answer)
                .unwrap_or_else(|error| panic!("call {n}: {error}"));
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "call {n}: {answer}");
        }
    }
}

#[test]
fn a_refusal_by_the_embedded_host_reaches_a_client_that_is_still_sending() {
    a_refusal_reaches_a_client_that_is_still_sending(Driver::Embedded);
}
