//! Repositories that the service signs and keeps, seen by the clients of applications.

use serde_json::Value;
use spindrift_tests::trust::client::{Installation, clients};
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

pub(crate) use super::acme;
use super::{gets, uploaded};

on_hosts! {
    every: [clients_take_what_the_publisher_has_signed],
}

/// The listed target of the file of [`Release::new`].
pub(crate) fn target(version: &str) -> TestTarget {
    let key = format!("acme/notes/stable/linux/amd64/notes-{version}.deb");
    uploaded(&key, &format!("notes {version}"), version)
}

/// A version of `notes` that is uploaded and published.
pub(crate) fn upload(acme: &Account, version: &str) -> TestTarget {
    acme.publish(Release::new(version).with_digests());
    target(version)
}

/// The repository of `notes`, with one package.
pub(super) fn started(world: &World) -> (Account, Publisher, TestTarget) {
    let acme = acme(world);
    let publisher = Publisher::new(&acme, "notes");
    let target = upload(&acme, "1.0.0");
    let _ = publisher.start(None).expect(202);
    let _ = publisher.publish(std::slice::from_ref(&target)).expect(200);
    (acme, publisher, target)
}

fn clients_take_what_the_publisher_has_signed(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let publisher = Publisher::new(&acme, "notes");
    let first = upload(&acme, "1.0.0");
    let _ = publisher.start(None).expect(202);
    assert_eq!(publisher.get("bootstrap").json()["data"]["state"], "waiting");
    let answer = publisher.publish(std::slice::from_ref(&first)).expect(200);
    assert_eq!(answer.json()["message"], "Metadata update finished");
    assert_eq!(publisher.get("bootstrap").json()["data"]["state"], Value::Null);

    let root = publisher.pinned_root();
    let apps: Vec<_> = clients().into_iter().map(|client| Installation::new(client, &root)).collect();
    let places = [publisher.bucket(&world), publisher.service(&world)];
    for (app, place) in apps.iter().flat_map(|app| places.iter().map(move |place| (app, place))) {
        gets(app, place, &first);
    }

    let second = upload(&acme, "1.1.0");
    assert_eq!(acme.check("1.0.0")["version"], "1.0.0", "nothing is offered before it is listed");
    let _ = publisher.publish(&[first.clone(), second.clone()]).expect(200);
    assert_eq!(acme.check("1.0.0")["version"], "1.1.0");
    for (app, place) in apps.iter().flat_map(|app| places.iter().map(move |place| (app, place))) {
        gets(app, place, &first);
        gets(app, place, &second);
    }
}
