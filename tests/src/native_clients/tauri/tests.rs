//! Tests with answers as services give them.

use serde_json::{Value, json};

use super::*;
use crate::file_server::{Entry, FileServer};

const ARTIFACT: &[u8] = b"an app image";

fn answer(url: &str, version: &str, signature: &str) -> Value {
    json!({"version": version, "url": url, "signature": signature, "notes": "n", "pub_date": "2026-11-21T10:00:00Z"})
}

fn file(json: &Value) -> Entry {
    Entry::File(json.to_string().into_bytes())
}

fn served(json: &Value) -> FileServer {
    FileServer::start([("/", file(json))])
}

fn asked(json: &Value) -> Result<Option<Offer>, String> {
    let server = served(json);
    TauriApp::new(&format!("{}/", server.url()), "1.0.0", "").check()
}

#[test]
fn a_signed_artifact_is_found_and_verified() {
    let key = SigningKey::generate();
    let signature = key.sign(ARTIFACT, "App.AppImage", "1.1.0");
    let files = FileServer::start([("/App.AppImage", Entry::File(ARTIFACT.to_vec()))]);
    let server = FileServer::start([(
        "/linux/x86_64/1.0.0%2B5/appimage",
        file(&answer(&format!("{}/App.AppImage", files.url()), "v1.1.0", &signature)),
    )]);
    let endpoint =
        format!("{}/{{{{target}}}}/{{{{arch}}}}/{{{{current_version}}}}/{{{{bundle_type}}}}", server.url());
    let app = TauriApp::new(&endpoint, "1.0.0+5", &key.public_key());

    let offer = app.check().unwrap().unwrap();

    assert_eq!((offer.version.to_string(), offer.notes.as_deref()), ("1.1.0".to_owned(), Some("n")));
    assert_eq!(app.download(&offer).unwrap(), ARTIFACT);

    let stranger = SigningKey::generate().sign(ARTIFACT, "App.AppImage", "1.1.0");
    assert!(app.download(&Offer { signature: stranger, ..offer.clone() }).is_err());
    let other_bytes = key.sign(b"other", "App.AppImage", "1.1.0");
    assert!(app.download(&Offer { signature: other_bytes, ..offer }).is_err());
}

#[test]
fn the_announced_version_is_the_signed_one() {
    let key = SigningKey::generate();
    let server = FileServer::start([("/a", Entry::File(ARTIFACT.to_vec()))]);
    let mut app = TauriApp::new("", "1.0.0", &key.public_key());
    let offer = |signature: String| Offer {
        version: "1.1.0".parse().unwrap(),
        url: format!("{}/a", server.url()).parse().unwrap(),
        signature,
        notes: None,
        date: None,
    };

    let error = app.download(&offer(key.sign(ARTIFACT, "a", "1.0.9"))).unwrap_err();
    assert_eq!(error, "signed for 1.0.9, announced as 1.1.0");
    assert_eq!(app.download(&offer(key.sign(ARTIFACT, "a", "v1.1.0"))).unwrap(), ARTIFACT);
    let old = offer(key.sign_without_version(ARTIFACT, "a"));
    assert_eq!(app.download(&old).unwrap(), ARTIFACT);
    app.require_signed_version = true;
    assert_eq!(app.download(&old).unwrap_err(), "the signature names no version");
}

#[test]
fn answers_are_read_strictly() {
    let good = answer("http://h.example/a", "1.1.0", "s");
    assert!(asked(&good).unwrap().is_some());
    for (field, value) in [
        ("version", json!("1.1")),
        ("version", json!(null)),
        ("url", json!("a.zip")),
        ("url", json!(null)),
        ("signature", json!(null)),
        ("pub_date", json!("2026-11-21")),
        ("pub_date", json!("2026-11-21T10:00:00")),
        ("platforms", json!({"linux-x86_64": {"url": "http://h.example/a"}})),
        ("platforms", json!({})),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        assert!(asked(&bad).is_err(), "{bad}");
    }
    for (field, value) in [("pub_date", json!(null)), ("notes", json!(null)), ("extra", json!([1]))] {
        let mut other = good.clone();
        other[field] = value;
        assert!(asked(&other).unwrap().is_some(), "{other}");
    }
    let by_name = json!({"name": "v1.1.0", "url": "http://h.example/a", "signature": "s"});
    assert_eq!(asked(&by_name).unwrap().unwrap().date, None);
}

#[test]
fn a_list_of_platforms_wins() {
    let mut list = answer("http://h.example/one", "1.1.0", "s");
    list["platforms"] = json!({
        "linux-x86_64": {"url": "http://h.example/any", "signature": "s"},
        "linux-x86_64-appimage": {"url": "http://h.example/appimage", "signature": "s"},
    });
    assert_eq!(asked(&list).unwrap().unwrap().url.path(), "/appimage");
    let _ = list["platforms"].as_object_mut().unwrap().remove("linux-x86_64-appimage");
    assert_eq!(asked(&list).unwrap().unwrap().url.path(), "/any");
}

#[test]
fn only_a_newer_version_is_an_update() {
    let server = served(&answer("http://h.example/a", "1.1.0", "s"));
    let endpoint = format!("{}/", server.url());
    let mut newer = TauriApp::new(&endpoint, "1.2.0", "");
    for version in ["1.1.0", "1.2.0", "1.1.1-rc.1"] {
        assert_eq!(TauriApp::new(&endpoint, version, "").check().unwrap(), None, "{version}");
    }
    assert!(TauriApp::new(&endpoint, "1.1.0-rc.1", "").check().unwrap().is_some());
    newer.allow_downgrade = true;
    assert!(newer.check().unwrap().is_some());
}

#[test]
fn endpoints_are_asked_in_turn() {
    let server = FileServer::start([
        ("/missing", Entry::Status(404)),
        ("/failing", Entry::Status(503)),
        ("/none", Entry::Status(204)),
        ("/text", Entry::File(b"<html>".to_vec())),
        ("/other", file(&json!({"error": "x"}))),
        ("/good", file(&answer("http://h.example/a", "1.1.0", "s"))),
    ]);
    let check = |paths: &[&str]| {
        let mut app = TauriApp::new("", "1.0.0", "");
        app.endpoints = paths.iter().map(|path| format!("{}/{path}", server.url())).collect();
        app.check().map(|offer| offer.is_some())
    };
    assert_eq!(check(&["missing", "failing", "other", "good"]), Ok(true));
    assert_eq!(check(&["none", "good"]), Ok(false));
    assert!(check(&["text", "good"]).is_err(), "an answer that is not JSON ends the check");
    assert!(check(&["other"]).unwrap_err().contains("version"));
    assert_eq!(
        check(&["missing", "failing"]).unwrap_err(),
        "Could not fetch a valid release JSON from the remote"
    );
}
