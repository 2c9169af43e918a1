//! Two hosts with one database and one bucket.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use spindrift_tests::trust::client::{Installation, clients_and_library};
use spindrift_tests::trust::publisher::{Publisher, after};
use spindrift_tests::trust::role::{self, TestTarget};
use spindrift_tests::{Account, Driver, PASSWORD, World, on_hosts, until};

use super::gets;
use super::service::{target, upload};
use crate::listing::{begin, begin_service, items, listed_versions, one_file};

on_hosts! {
    every: [fifty_uploads_lose_none, fifty_signed_lists_lose_none],
}

const PUBLISHES: usize = 50;
/// Jobs that sign at the same time.
const JOBS: usize = 10;
/// Longer than all publishes take together.
const PATIENCE: Duration = Duration::from_mins(5);

/// The owner at this host and at another one.
fn hosts(world: &World, acme: &Account) -> ([Account; 2], spindrift_tests::Beside) {
    let other = world.beside();
    let there = other.login("acme", PASSWORD);
    ([acme.clone(), there], other)
}

/// Every version is listed, and every client gets the newest at both places.
fn nothing_is_lost(world: &World, acme: &Account, publisher: &Publisher) {
    assert_eq!(listed_versions(acme).len(), PUBLISHES);
    assert!(items(acme).iter().all(|item| item["state"] == "listed"));
    let newest = format!("1.{}.0", PUBLISHES - 1);
    assert_eq!(acme.check("0.9")["version"], newest.as_str());
    let root = publisher.pinned_root();
    for place in [publisher.service(world), publisher.bucket(world)] {
        for client in clients_and_library() {
            gets(&Installation::new(client, &root), &place, &target(&newest));
        }
    }
}

fn fifty_uploads_lose_none(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let publisher = begin_service(&acme);
    let _changed = world.database().execute("UPDATE repositories SET keep = 0", []).unwrap();
    let (accounts, _other) = hosts(&world, &acme);
    let staged = |minor| acme.stage(&one_file(&format!("1.{minor}.0")).published());
    let uploads: Vec<_> = (0..PUBLISHES).map(staged).collect();
    thread::scope(|scope| {
        for (minor, upload) in uploads.iter().enumerate() {
            let acme = &accounts[minor % 2];
            scope.spawn(move || {
                until("the upload is listed", PATIENCE, || {
                    let answer = acme.complete(upload);
                    assert!(matches!(answer.status, 200 | 503), "{} {}", answer.status, answer.text());
                    (answer.status == 200).then_some(())
                });
            });
        }
    });
    nothing_is_lost(&world, &acme, &publisher);
}

/// The current list. `None`: the service is too busy to answer.
fn current(publisher: &Publisher) -> Option<Value> {
    let answer = publisher.get("metadata/targets");
    (answer.status != 503).then(|| answer.expect(200).json()["data"]["trusted_targets"]["signed"].take())
}

/// Adds a file to whatever the list is, as the command does: again on 409 and 503.
fn add(publisher: &Publisher, new: &TestTarget) {
    let mut own = role::targets(1, after(365), [new], &[]);
    let entry = own["targets"][&new.name].take();
    until("the list is taken", PATIENCE, || {
        let mut list = current(publisher)?;
        let base = list["version"].as_u64().unwrap();
        list["version"] = json!(publisher.next_version("targets").max(base + 1));
        list["targets"][&new.name] = entry.clone();
        let signed = spindrift_tests::trust::publisher::file(&list, &publisher.targets.keys);
        let body = json!({ "metadata": { "targets": signed }, "base": base });
        let answer = publisher.send("metadata", body);
        assert!(matches!(answer.status, 200 | 409 | 503), "{} {}", answer.status, answer.text());
        (answer.status == 200).then_some(())
    });
}

fn fifty_signed_lists_lose_none(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let publisher = begin(&acme);
    let (accounts, _other) = hosts(&world, &acme);
    let targets: Vec<_> = (0..PUBLISHES).map(|minor| upload(&acme, &format!("1.{minor}.0"))).collect();
    thread::scope(|scope| {
        for job in 0..JOBS {
            let (acme, targets) = (&accounts[job % 2], &targets);
            scope.spawn(move || {
                let publisher = Publisher::new(acme, "notes");
                targets.iter().skip(job).step_by(JOBS).for_each(|target| add(&publisher, target));
            });
        }
    });
    nothing_is_lost(&world, &acme, &publisher);
}
