//! Metadata that is rightly signed and against the specification, and files that are not metadata at all.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use spindrift_tests::trust::repository::{TARGETS, TestRepository};
use spindrift_tests::trust::role::{TestTarget, naming};
use spindrift_tests::trust::signed::{signed, signed_as};

use super::super::{days_ago, package, repository};
use super::{Scene, with_channel};

/// More than any parser follows.
const DEPTH: usize = 7_000;

/// The signed part of a role's file.
fn said(file: &[u8]) -> Value {
    serde_json::from_slice::<Value>(file).unwrap()["signed"].take()
}

/// The names of clients, with state and new, that accept the metadata of the mirror.
fn takers(scene: &Scene, hostile: &TestRepository, target: &TestTarget, case: &str) -> Vec<String> {
    scene.show(hostile);
    let known = scene.known.iter().map(|(place, app)| (place, app, "with state"));
    let fresh = scene.fresh();
    let fresh = fresh.iter().map(|(place, app)| (place, app, "new"));
    let mut takers = BTreeSet::new();
    for (place, app, state) in known.chain(fresh) {
        let name = app.client().name();
        match app.update(place, target) {
            Ok(_) => drop(takers.insert(format!("{name}, {state}"))),
            Err(said) => println!("{case}: {name} at {}: {}", place.name, said.escape_debug()),
        }
    }
    takers.into_iter().collect()
}

#[test]
fn a_timestamp_that_is_none() {
    let target = package("stable", "1.0.0");
    let good = repository(2, &target);
    let mut next = good.clone();
    next.write_timestamp(days_ago(1));
    let valid = said(&next.metadata["timestamp.json"]);
    let online = [&good.keys.online];
    let with = |pointer: &str, value: Value| {
        let mut role = valid.clone();
        *role.pointer_mut(pointer).unwrap() = value;
        signed(&role, online)
    };
    let deep = |open: &str, close: &str| [open.repeat(DEPTH), close.repeat(DEPTH)].concat().into_bytes();
    let unsigned = signed(&valid, []);
    let deep_number = String::from_utf8(deep("[", "]")).unwrap();
    // Whose keys may sign this may as well sign a good one, so what some take gains nothing.
    let tuf_js = &["tuf-js, new", "tuf-js, with state"][..];
    let tough = &["the library, new", "the library, with state", "tough, new", "tough, with state"][..];
    // They have that snapshot and do not look.
    let have_it = &["python-tuf, with state", "tuf-js, with state"][..];
    let cases: Vec<(&str, Vec<u8>, &[&str])> = vec![
        ("nothing", Vec::new(), &[]),
        ("null", b"null".to_vec(), &[]),
        ("an array", b"[]".to_vec(), &[]),
        ("no UTF-8", vec![0xff, 0xfe, 0x00], &[]),
        ("deep arrays", deep("[", "]"), &[]),
        ("deep objects", deep("{\"a\":", "}"), &[]),
        ("a deep number", with_text(&next, "\"version\":", &deep_number), &[]),
        ("a snapshot", good.metadata[&good.newest("snapshot")].clone(), &[]),
        ("no signatures", unsigned, &[]),
        ("a version with a fraction", with("/version", json!(1.5)), &[]),
        ("version 0", with("/version", json!(0)), &tuf_js[..1]),
        ("a negative version", with("/version", json!(-1)), &tuf_js[..1]),
        ("a version in quotes", with("/version", json!("7")), &[]),
        ("no time", with("/expires", json!("tomorrow")), tuf_js),
        ("another type", with("/_type", json!("snapshot")), &[]),
        ("another specification", with("/spec_version", json!("2.0.0")), tough),
        ("no snapshot", with("/meta", json!({})), &[]),
        ("a snapshot of version 0", with("/meta/snapshot.json/version", json!(0)), &[]),
        ("a digest that is none", with("/meta/snapshot.json/hashes", json!({ "sha256": "zz" })), have_it),
    ];
    let mut scene = Scene::of(&good, &[&target]);
    for (case, file, expected) in cases {
        let mut hostile = next.clone();
        let _valid = hostile.metadata.insert("timestamp.json".to_owned(), file);
        assert_eq!(takers(&scene, &hostile, &target, case), expected, "{case}");
        if !expected.is_empty() {
            scene = Scene::of(&good, &[&target]);
        }
    }
    scene.show(&next);
    scene.all_get(&[&target]);
}

/// The timestamp with another text for a number.
fn with_text(repository: &TestRepository, field: &str, text: &str) -> Vec<u8> {
    let file = String::from_utf8(repository.metadata["timestamp.json"].clone()).unwrap();
    let (before, after) = file.rsplit_once(field).unwrap();
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{before}{field}{text}{rest}").into_bytes()
}

#[test]
fn a_root_that_is_none() {
    let target = package("stable", "1.0.0");
    let good = repository(2, &target);
    let scene = Scene::of(&good, &[&target]);
    let mut next = good.clone();
    next.write_root(good.keys.clone(), days_ago(1));
    let valid = said(next.root());
    let keys = &good.keys.root.keys;
    let with = |pointer: &str, value: Value| {
        let mut role = valid.clone();
        *role.pointer_mut(pointer).unwrap() = value;
        signed(&role, keys)
    };
    let other_id = {
        let mut role = valid.clone();
        let (id, other) = (keys[0].id(), "0".repeat(64));
        let key = role["keys"].as_object_mut().unwrap().remove(&id).unwrap();
        role["keys"][&other] = key;
        role["roles"]["root"]["keyids"] = json!([other, keys[1].id()]);
        signed_as(&role, [(id, &keys[0]), (other, &keys[0]), (keys[1].id(), &keys[1])])
    };
    let cases = [
        ("threshold 0 for root", with("/roles/root/threshold", json!(0))),
        ("threshold 0 for targets", with("/roles/targets/threshold", json!(0))),
        ("a threshold with a fraction", with("/roles/root/threshold", json!(1.5))),
        ("more than there are", with("/roles/root/threshold", json!(3))),
        ("no keys", with("/keys", json!({}))),
        ("no roles", with("/roles", json!({}))),
        ("the version of before", with("/version", json!(1))),
        ("the one after the next", with("/version", json!(3))),
    ];
    for (case, file) in cases {
        let mut hostile = next.clone();
        hostile.put("root", 2, file);
        assert_eq!(takers(&scene, &hostile, &target, case), [""; 0], "{case}");
    }
    // tough computes ids, the others take what they are told.
    let mut hostile = next.clone();
    hostile.put("root", 2, other_id);
    let expected = ["python-tuf, new", "python-tuf, with state", "tuf-js, new", "tuf-js, with state"];
    assert_eq!(takers(&scene, &hostile, &target, "another id"), expected);
}

/// A repository whose list of a channel has another role's name.
fn with_role_named(name: &str) -> (TestRepository, TestTarget) {
    let (mut repository, _, stable) = with_channel(2);
    let channel = repository.metadata[&repository.newest("channel-stable")].clone();
    let version = repository.version(TARGETS) + 1;
    let mut list = said(&repository.metadata[&repository.newest(TARGETS)]);
    list["delegations"]["roles"][0]["name"] = json!(name);
    list["version"] = json!(version);
    repository.put(TARGETS, version, signed(&list, &repository.keys.targets.keys.clone()));

    let role_version = repository.version("channel-stable");
    let targets = repository.metadata[&repository.newest(TARGETS)].clone();
    let files = [
        (format!("{name}.json"), (role_version, &channel[..])),
        ("targets.json".to_owned(), (version, &targets[..])),
    ];
    let snapshot_version = repository.version("snapshot") + 1;
    let snapshot = naming("snapshot", snapshot_version, days_ago(-1), &files.into());
    repository.put("snapshot", snapshot_version, signed(&snapshot, [&repository.keys.online.clone()]));
    repository.write_timestamp(days_ago(1));
    // As the clients ask for it: they encode different characters.
    let encoded = name.replace('%', "%25").replace('/', "%2F");
    for asked in [encoded.clone(), encoded.replace('.', "%2E"), name.to_owned()] {
        let _new = repository.metadata.insert(format!("{role_version}.{asked}.json"), channel.clone());
    }
    (repository, stable)
}

/// A holder of the list's keys chooses the names of roles, and clients keep files under them. None leads outside.
#[test]
fn a_role_that_leads_elsewhere() {
    let outside = format!("outside-{}", std::process::id());
    for up in ["../", "../../", "a/../../../", "%2e%2e%2f", "/tmp/"] {
        let (hostile, target) = with_role_named(&format!("{up}{outside}"));
        let scene = Scene::built_with(&hostile, hostile.root());
        for (place, app) in &scene.known {
            let taken = app.update(place, &target).map(|_| "taken");
            println!("{up}: {} at {}: {taken:?}", app.client().name(), place.name);
            let mut names: Vec<_> =
                std::fs::read_dir(app.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            assert_eq!(names, ["pinned.json", "state"], "{up}: {}", app.client().name());
            let temporary = std::env::temp_dir();
            for folder in [temporary.as_path(), std::path::Path::new("/tmp")] {
                assert!(!folder.join(format!("{outside}.json")).exists(), "{up}: {}", app.client().name());
            }
        }
    }
}
