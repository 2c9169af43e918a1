//! Many at once.

use std::thread;

use spindrift_tests::{Account, Driver, Release, Upload, World, on_hosts};

use super::{begin, begin_service, items, listed_versions, one_file, sign, states};

on_hosts! {
    every: [parallel_publishes_lose_none, parallel_uploads_in_one_lose_none],
    in_process: [releases_recorded_after_a_list_was_made_wait],
}

const PUBLISHES: usize = 50;
const UPLOADS: usize = 12;

fn keep_all(world: &World) {
    let _changed = world.database().execute("UPDATE repositories SET keep = 0", []).unwrap();
}

/// Completes as the command does: again while another call signs, or has had the database for seconds.
fn complete(acme: &Account, upload: &Upload) {
    for _ in 0..200 {
        let answer = acme.complete(upload);
        match answer.status {
            503 => assert!(["2", "5"].contains(&answer.header("retry-after")), "{}", answer.text()),
            _ => return drop(answer.expect(200)),
        }
    }
    panic!("the list was signed by others all the time");
}

fn parallel_publishes_lose_none(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    keep_all(&world);
    let staged: Vec<_> =
        (0..PUBLISHES).map(|minor| acme.stage(&one_file(&format!("1.{minor}.0")).published())).collect();
    thread::scope(|scope| {
        for upload in &staged {
            let acme = &acme;
            scope.spawn(move || complete(acme, upload));
        }
    });
    assert_eq!(listed_versions(&acme).len(), PUBLISHES);
    assert!(items(&acme).iter().all(|item| item["state"] == "listed"));
    assert_eq!(acme.check("0.9")["version"], format!("1.{}.0", PUBLISHES - 1));
}

fn parallel_uploads_in_one_lose_none(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    keep_all(&world);
    thread::scope(|scope| {
        for minor in 0..UPLOADS {
            let acme = &acme;
            scope.spawn(move || {
                let release = Release::new(&format!("1.{minor}.0")).published();
                let _ = acme.upload_in_one(&release).expect(200);
            });
        }
    });
    assert_eq!(listed_versions(&acme).len(), UPLOADS);
    assert!(items(&acme).iter().all(|item| item["state"] == "listed"));
}

/// The list is signed for the releases recorded before.
fn releases_recorded_after_a_list_was_made_wait(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let publisher = begin(&acme);
    acme.publish(one_file("1.0.0"));
    let made = publisher.list(&[super::target(&world, &items(&acme)[0])]);
    acme.publish(one_file("1.1.0"));
    let _ = publisher.send("metadata", serde_json::json!({ "metadata": { "targets": made } })).expect(200);
    assert_eq!(states(&acme), ["1.1.0 deb unlisted", "1.0.0 deb listed"]);
    assert_eq!(acme.check("0.9")["version"], "1.0.0");
    sign(&world, &acme, |_| true);
    assert_eq!(acme.check("0.9")["version"], "1.1.0");
}
