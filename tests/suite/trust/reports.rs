//! Reports of clients decide nothing that is signed.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use spindrift_tests::{Driver, Multipart, World, on_hosts};

use super::service::upload;
use crate::concurrency::in_parallel;
use crate::listing::begin_service;
use crate::reports::{failure_because, key, send};
use crate::telemetry::BEACON;

on_hosts! {
    every: [a_thousand_reports_change_nothing],
}

const REPORTS: usize = 1000;

/// Everything that the service signs, without what differs between two commits: numbers, ends, and what follows from them.
fn signed(world: &World) -> Vec<Value> {
    let get = |file: &str| {
        let path = format!("/tuf/repository/acme/notes/metadata/{file}");
        world.get(&path).send().expect(200).json()
    };
    let timestamp = get("timestamp.json");
    let snapshot = get(&format!("{}.snapshot.json", timestamp["signed"]["meta"]["snapshot.json"]["version"]));
    let targets = get(&format!("{}.targets.json", snapshot["signed"]["meta"]["targets.json"]["version"]));
    let key_ids = |file: &Value| {
        file["signatures"].as_array().unwrap().iter().map(|one| one["keyid"].clone()).collect::<Vec<_>>()
    };
    let without = |mut file: Value| {
        let keys = key_ids(&file);
        let role = &mut file["signed"];
        role["version"] = Value::Null;
        role["expires"] = Value::Null;
        for (_, meta) in role["meta"].as_object_mut().into_iter().flatten() {
            *meta = json!(meta.as_object().unwrap().keys().collect::<Vec<_>>());
        }
        json!([role, keys])
    };
    [timestamp, snapshot, targets, get("1.root.json")].map(without).to_vec()
}

fn a_thousand_reports_change_nothing(host: Driver) {
    let world = World::builder(host).with_variable("device_hash_key", "a key of the tests").start();
    let acme = world.admin("acme").with_notes();
    let publisher = begin_service(&acme);
    let data = json!({ "id": acme.app_id("notes"), "reports": true }).to_string();
    let _ = acme.post_multipart("/app/update", Multipart::new().field("data", data)).send().expect(200);
    let key = key(&acme, "notes").unwrap();
    let _targets = ["1.0.0", "1.1.0"].map(|version| upload(&acme, version));
    let commit = || publisher.send("metadata/online", json!({})).expect(202);
    let _done = commit();
    let before = signed(&world);
    let number = publisher.version("targets").unwrap();

    let accepted = AtomicUsize::new(0);
    in_parallel(REPORTS, |at| {
        let device = format!("device-{at}");
        let mut report = failure_because(&format!("reason-{}", at % 50));
        report["application"]["version"] = json!(["1.0.0", "1.1.0", "9.9.9"][at % 3]);
        let answer = send(world.client(), &key, &device, &report);
        assert!(matches!(answer.status, 202 | 429), "{} {}", answer.status, answer.text());
        accepted.fetch_add(usize::from(answer.status == 202), Ordering::SeqCst);
        let _counted = world.get(BEACON).header("x-device-id", &device).send();
        let _offered = acme.check_as(&device, "1.0.0");
    });
    println!("{} of {REPORTS} reports were accepted", accepted.load(Ordering::SeqCst));
    assert!(accepted.load(Ordering::SeqCst) >= 50, "no reports were accepted");

    let _done = commit();
    assert_eq!(signed(&world), before);
    assert!(publisher.version("targets").unwrap() > number);
}
