//! Nothing unlisted is offered: where an application has signed metadata, clients are answered only with files that it
//! lists, or that were recorded before it began.

mod answers;
mod applications;
mod artifacts;
mod by_publisher;
mod by_service;
mod deletions;
mod digests;
mod feeds;
mod kept;
mod parallel;

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Account, Multipart, PUBLIC_BUCKET, Release, World};

/// Starts the repository of the owner's `notes`, whose lists the publisher signs. It lists nothing yet.
pub(crate) fn begin(acme: &Account) -> Publisher {
    turn_tuf_on(acme);
    let publisher = Publisher::new(acme, "notes");
    let _ = publisher.start(Some(&publisher.list(&[]))).expect(202);
    publisher
}

/// Starts the repository of the owner's `notes`, whose lists the service signs.
pub(crate) fn begin_service(acme: &Account) -> Publisher {
    turn_tuf_on(acme);
    let publisher = Publisher::new(acme, "notes");
    let mut named = publisher.named();
    named.targets = vec![publisher.service_key("targets_key")];
    let root = publisher.root_file(1, &named, &publisher.root.keys[..1]);
    let _ = publisher.start_with(json!({ "metadata": { "root": root } })).expect(202);
    publisher
}

pub(crate) fn turn_tuf_on(acme: &Account) {
    let data = json!({ "id": acme.app_id("notes"), "tuf": true }).to_string();
    let _ = acme.post_multipart("/app/update", Multipart::new().field("data", data)).send().expect(200);
}

/// The artifacts of `notes` as targets, newest release first.
pub(crate) fn items(acme: &Account) -> Vec<Value> {
    let body = Publisher::new(acme, "notes").get("artifacts?limit=100").expect(200).json();
    body["items"].as_array().unwrap().clone()
}

/// The artifacts with their states, as `1.0.0 deb listed`, newest release first.
pub(crate) fn states(acme: &Account) -> Vec<String> {
    let text = |item: &Value, field: &str| item[field].as_str().unwrap().to_owned();
    items(acme)
        .iter()
        .map(|item| ["version", "package", "state"].map(|field| text(item, field)).join(" "))
        .collect()
}

/// The names in the current list.
pub(crate) fn listed(acme: &Account) -> Vec<String> {
    let body = Publisher::new(acme, "notes").get("metadata/targets").expect(200).json();
    let targets = body["data"]["trusted_targets"]["signed"]["targets"].as_object().cloned();
    targets.unwrap_or_default().keys().cloned().collect()
}

/// The versions of files in the current list, lowest first by their names.
pub(crate) fn listed_versions(acme: &Account) -> Vec<String> {
    let body = Publisher::new(acme, "notes").get("metadata/targets").expect(200).json();
    let targets =
        body["data"]["trusted_targets"]["signed"]["targets"].as_object().cloned().unwrap_or_default();
    targets.values().map(|target| target["custom"]["version"].as_str().unwrap().to_owned()).collect()
}

/// The publisher's list of those artifacts that are chosen.
pub(crate) fn sign(world: &World, acme: &Account, is_chosen: impl Fn(&Value) -> bool) {
    let chosen: Vec<_> =
        items(acme).iter().filter(|item| is_chosen(item)).map(|item| target(world, item)).collect();
    let _ = Publisher::new(acme, "notes").publish(&chosen).expect(200);
}

/// The target that an artifact is.
pub(crate) fn target(world: &World, item: &Value) -> TestTarget {
    let name = item["name"].as_str().unwrap();
    let key = percent_decode_str(name).decode_utf8().unwrap();
    let mut custom = json!({ "repository": "acme/notes" });
    for field in ["version", "channel", "platform", "arch", "package"] {
        if !item[field].is_null() {
            custom[field] = item[field].clone();
        }
    }
    TestTarget::new(&key, &world.store().object(PUBLIC_BUCKET, &key).unwrap(), custom)
}

/// The publisher adds the files of a version whose names end like this to the list, or takes them off it.
pub(crate) fn mark(world: &World, acme: &Account, version: &str, (ending, state): (&str, &str)) {
    let is_meant =
        |item: &Value| item["version"] == version && item["name"].as_str().unwrap().ends_with(ending);
    let is_listed = |item: &Value| item["state"] == "listed";
    let meant: Vec<_> = items(acme).into_iter().filter(is_meant).collect();
    assert!(!meant.is_empty(), "no file of {version} ends with {ending}");
    if state == "listed" || meant.iter().any(|item| item["state"] == "legacy") {
        sign(world, acme, |item| is_meant(item) || is_listed(item));
    }
    if state == "unlisted" {
        sign(world, acme, |item| !is_meant(item) && is_listed(item));
    }
}

/// `notes` with the release 1.0.0, which is older than the repository, and with 1.1.0, which is not listed.
pub(crate) fn acme(world: &World) -> Account {
    let acme = world.admin("acme").with_notes();
    acme.publish(two_files("1.0.0"));
    let _publisher = begin(&acme);
    acme.publish(two_files("1.1.0").critical().with("changelog", "Safer"));
    acme
}

/// A release with a file for each of two packages.
pub(crate) fn two_files(version: &str) -> Release {
    let release = Release::empty(version).file("notes.deb", format!("deb {version}"));
    release.file("notes.rpm", format!("rpm {version}")).with_digests()
}

/// A release with one file.
pub(crate) fn one_file(version: &str) -> Release {
    Release::new(version).with_digests()
}
