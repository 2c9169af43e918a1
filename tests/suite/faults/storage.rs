//! A storage that refuses, is slow, or ends connections in the middle.

use std::time::Duration;

use serde_json::json;
use spindrift_tests::{
    Account, Client, Driver, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, Upload, World, on_hosts,
};

on_hosts! {
    every: [
        a_storage_that_refuses,
        a_storage_that_does_the_work_and_cuts_the_answer,
        a_storage_that_cuts_the_request,
        a_slow_storage,
        a_storage_that_refuses_once,
    ],
}

/// A part of a second for each call, which adds up.
const SLOW: Duration = Duration::from_millis(200);

/// An upload whose files wait for its completion, behind a gate for every call.
fn staged(host: Driver) -> (World, Account, Upload) {
    let world = World::builder(host).with_gate().start();
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    let upload = acme.stage(&two_files("2.0.0").published());
    world.gate().watch("/");
    (world, acme, upload)
}

fn two_files(version: &str) -> Release {
    Release::new(version).file("notes.rpm", format!("rpm {version}"))
}

/// Nothing is there of the upload, and everything else is.
fn assert_nothing_is_visible(acme: &Account) {
    assert_eq!(acme.releases().len(), 1);
    let check = acme.check("0.1");
    assert_eq!(check["version"], "1.0.0");
    let link = check["update_url_deb"].as_str().unwrap();
    assert_eq!(Client::new("").get(link).send().expect(200).text(), "notes 1.0.0");
}

/// The same call ends what it began, and nothing else is left.
fn assert_it_ends(world: &World, acme: &Account, upload: &Upload) {
    let first = acme.complete(upload).expect(200).json();
    assert_eq!(acme.complete(upload).expect(200).json(), first);
    assert_eq!(acme.check("0.1")["version"], "2.0.0");
    assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), [""; 0]);
    assert_eq!(world.store().keys(PUBLIC_BUCKET, "").len(), 3);
    assert_eq!(acme.post("/maintenance/run").ok()["objects_deleted"], 0);
}

fn a_storage_that_refuses(host: Driver) {
    let (world, acme, upload) = staged(host);
    world.gate().refuse(true);
    assert_eq!(acme.complete(&upload).refusal(), (502, "the object storage failed".into()));
    assert_eq!(acme.post("/maintenance/run").send().status, 502);
    // Calls that need no storage work.
    let _ = acme.init(&Release::new("3.0.0")).expect(200);
    let id = acme.release("1.0.0").id.to_string();
    let _ = acme.edit(&id, json!({ "changelog": "news" })).expect(200);
    assert_nothing_is_visible(&acme);
    world.gate().refuse(false);
    let _ = acme.complete(&upload).expect(200);
    assert_eq!(acme.check("0.1")["version"], "2.0.0");
    let _ = acme.post("/maintenance/run").send().expect(200);
}

fn a_storage_that_does_the_work_and_cuts_the_answer(host: Driver) {
    let (world, acme, upload) = staged(host);
    world.gate().cut_answers(true);
    assert_eq!(acme.complete(&upload).refusal(), (502, "the object storage failed".into()));
    assert_nothing_is_visible(&acme);
    world.gate().cut_answers(false);
    assert_it_ends(&world, &acme, &upload);
}

fn a_storage_that_cuts_the_request(host: Driver) {
    let (world, acme, upload) = staged(host);
    world.gate().cut_requests(true);
    assert_eq!(acme.complete(&upload).refusal(), (502, "the object storage failed".into()));
    assert_nothing_is_visible(&acme);
    world.gate().cut_requests(false);
    assert_it_ends(&world, &acme, &upload);
}

fn a_slow_storage(host: Driver) {
    let (world, acme, upload) = staged(host);
    world.gate().delay(SLOW);
    let _ = acme.complete(&upload).expect(200);
    assert_nothing_is_kept_waiting(&acme);
    world.gate().delay(Duration::ZERO);
    assert_it_ends(&world, &acme, &upload);
}

/// Checks do not ask the storage.
fn assert_nothing_is_kept_waiting(acme: &Account) {
    let began = std::time::Instant::now();
    assert_eq!(acme.check("0.1")["version"], "2.0.0");
    assert!(began.elapsed() < Duration::from_secs(2));
}

/// `503 SlowDown` to the first call, to the second, and so on: after any refusal, the repeated completion succeeds.
fn a_storage_that_refuses_once(host: Driver) {
    let (world, acme, upload) = staged(host);
    let mut calls = 0;
    loop {
        world.gate().refuse_after(calls);
        let answer = acme.complete(&upload);
        let is_refused = world.gate().has_refused();
        if answer.status == 200 {
            // Failures after the release is recorded are not reported; maintenance does the rest.
            assert_eq!(acme.check("0.1")["version"], "2.0.0");
            if !is_refused {
                break;
            }
            calls += 1;
            continue;
        }
        assert_eq!(answer.refusal(), (502, "the object storage failed".into()));
        assert_nothing_is_visible(&acme);
        calls += 1;
    }
    println!("{calls} calls could be refused");
    assert!(calls >= 3, "every file is looked at and copied");
    // The last refusal has not come, and is not meant for maintenance.
    world.gate().refuse_after(u32::MAX);
    assert_it_ends(&world, &acme, &upload);
}
