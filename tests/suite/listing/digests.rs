//! Digests of files that were recorded before the application had TUF.

use serde_json::{Value, json};
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::{Account, Driver, Release, World, on_hosts, sha256_hex, sha512_hex};

use super::{begin, begin_service, listed_versions, one_file, sign, states};

on_hosts! {
    every: [
        digests_are_those_of_the_stored_bytes,
        a_publisher_lists_old_files,
        a_call_reads_ten_files,
        a_publisher_repeats_a_call_that_reads_too_much,
        compared_files_are_not_read_again,
    ],
}

/// Uploads a release whose digests are not those of its file, which nobody compares yet.
fn upload_with_wrong_digests(acme: &Account, version: &str) {
    let release = Release::new(version).published().with_digests();
    let mut manifest = release.manifest();
    manifest[0]["sha256"] = json!("0a".repeat(32));
    manifest[0]["sha512"] = json!("0b".repeat(64));
    let fields = [("data", release.data().to_string()), ("files", manifest.to_string())];
    let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
    let granted = acme.post_form("/upload/init", &fields).ok();
    let file = &granted["files"][0];
    let headers = file["headers"].as_object().unwrap();
    let bytes = format!("notes {version}");
    let put = spindrift_tests::Client::new("");
    let put = put.put(file["url"].as_str().unwrap(), bytes.as_bytes());
    let put = put.header("content-md5", headers["Content-Md5"].as_str().unwrap());
    let _ = put.send().expect(200);
    let body = json!({ "upload_id": granted["upload_id"] });
    let _ = acme.post_json("/upload/complete", body).send().expect(200);
}

fn hashes(acme: &Account) -> Value {
    let body = Publisher::new(acme, "notes").get("metadata/targets").expect(200).json();
    let targets = body["data"]["trusted_targets"]["signed"]["targets"].as_object().unwrap().clone();
    targets.values().next().unwrap()["hashes"].clone()
}

fn of(version: &str) -> Value {
    let bytes = format!("notes {version}");
    json!({ "sha256": sha256_hex(bytes.as_bytes()), "sha512": sha512_hex(bytes.as_bytes()) })
}

fn digests_are_those_of_the_stored_bytes(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    upload_with_wrong_digests(&acme, "1.0.0");
    let _publisher = begin_service(&acme);
    assert_eq!(states(&acme), ["1.0.0 deb listed"]);
    assert_eq!(hashes(&acme), of("1.0.0"));
}

fn a_publisher_lists_old_files(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("0.9.0"));
    upload_with_wrong_digests(&acme, "1.0.0");
    let _publisher = begin(&acme);
    assert_eq!(acme.check("0.1")["version"], "1.0.0", "it is on offer while nobody has listed it");
    sign(&world, &acme, |_| true);
    assert_eq!(states(&acme), ["1.0.0 deb listed", "0.9.0 deb listed"]);
    assert_eq!(acme.get("/tuf/v1/artifacts?appName=notes").ok()["items"][0]["hashes"], of("1.0.0"));
}

/// More releases than one call reads the files of.
fn twelve(acme: &Account) {
    for minor in 0..12 {
        acme.publish(Release::new(&format!("1.{minor}.0")).intermediate());
    }
}

fn a_call_reads_ten_files(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    twelve(&acme);
    let _publisher = begin_service(&acme);
    assert_eq!(listed_versions(&acme).len(), 10);
    assert_eq!(acme.check("1.10.0")["version"], "1.11.0");
    let publish = || {
        let body = json!({ "app_id": acme.app_id("notes"), "version": "1.0.0" });
        acme.post_json("/tuf/v1/artifacts/publish", body).send()
    };
    let _ = publish().expect(202);
    assert_eq!(listed_versions(&acme).len(), 12);
    let _ = publish().expect(200);
}

fn a_publisher_repeats_a_call_that_reads_too_much(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    twelve(&acme);
    let publisher = begin(&acme);
    let targets: Vec<_> = super::items(&acme).iter().map(|item| super::target(&world, item)).collect();
    let answer = publisher.publish(&targets);
    assert_eq!((answer.status, answer.header("retry-after")), (503, "2"));
    let _ = publisher.publish(&targets).expect(200);
    assert_eq!(listed_versions(&acme).len(), 12);
}

/// The file that is gone could not be read.
fn compared_files_are_not_read_again(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let publisher = begin(&acme);
    acme.publish(one_file("1.0.0"));
    let _ = acme.upload_in_one(&Release::new("1.1.0").published()).expect(200);
    let targets: Vec<_> = super::items(&acme).iter().map(|item| super::target(&world, item)).collect();
    for version in ["1.0.0", "1.1.0"] {
        world.store().remove(
            spindrift_tests::PUBLIC_BUCKET,
            &format!("acme/notes/stable/linux/amd64/notes-{version}.deb"),
        );
    }
    let _ = publisher.publish(&targets).expect(200);
    assert_eq!(states(&acme), ["1.1.0 deb listed", "1.0.0 deb listed"]);
}
