//! Repositories that the service signs and keeps, seen by the clients of applications.

use serde_json::{Value, json};
use spindrift_tests::trust::client::{Installation, clients};
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::gets;

on_hosts! {
    every: [clients_take_what_the_publisher_has_signed],
}

/// An owner of `notes`, with TUF on.
pub(crate) fn acme(world: &World) -> Account {
    let acme = world.admin("acme");
    acme.create_app_with(json!({ "app": "notes", "tuf": true }));
    acme.create_channel("stable");
    acme.create_platform("linux");
    acme.create_arch("amd64");
    acme
}

/// The listed target of the file of [`Release::new`].
pub(crate) fn target(version: &str) -> TestTarget {
    let custom = json!({
        "arch": "amd64",
        "channel": "stable",
        "package": "deb",
        "platform": "linux",
        "repository": "acme/notes",
        "version": version,
    });
    let key = format!("acme/notes/stable/linux/amd64/notes-{version}.deb");
    TestTarget::new(&key, format!("notes {version}").as_bytes(), custom)
}

/// A version of `notes` that is uploaded and published.
pub(crate) fn upload(acme: &Account, version: &str) -> TestTarget {
    acme.publish(Release::new(version).with_digests());
    target(version)
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
