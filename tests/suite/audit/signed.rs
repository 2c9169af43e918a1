//! Entries of signed metadata: one for each call, whether the publisher or the service signs.

use serde_json::json;
use spindrift_tests::trust::key::Signers;
use spindrift_tests::trust::publisher::{Publisher, file};
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::{kinds_after, last, newest};
use crate::listing::{begin, begin_service, turn_tuf_on};
use crate::trust::service::{target, upload};

on_hosts! {
    every: [
        a_publisher_signs,
        metadata_is_staged_and_dropped,
        the_service_signs,
    ],
}

fn a_publisher_signs(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let start = last(&acme) + 1;
    let publisher = begin(&acme);
    assert_eq!(kinds_after(&acme, start), ["trust.start"], "after TUF was turned on");
    let _ = upload(&acme, "1.0.0");
    let before = last(&acme);
    let _ = publisher.publish(&[target("1.0.0")]).expect(200);
    let entry = newest(&acme);
    assert_eq!(kinds_after(&acme, before), ["trust.update"], "the listing that follows is not an entry");
    let version = publisher.version("targets").unwrap().to_string();
    assert_eq!((&entry["app"], &entry["after"]["targets"]), (&json!("notes"), &json!(version)));

    let before = last(&acme);
    let settings = json!({ "settings": { "keep": 3 } }).to_string();
    let config = acme.put("/tuf/v1/config?appName=notes", settings.as_bytes());
    let _ = config.header("content-type", "application/json").send().expect(202);
    let _ = publisher.send("metadata/online", json!({})).expect(202);
    let recovery = json!({ "appName": "notes" });
    let _ = publisher.send("bootstrap/recovery", recovery).expect(202);
    let end = acme.delete("/tuf/v1/bootstrap?appName=notes&confirm=acme%2Fnotes").send();
    let _ = end.expect(202);
    let kinds = ["trust.configure", "trust.refresh", "trust.recover", "trust.end"];
    assert_eq!(kinds_after(&acme, before), kinds);
}

fn metadata_is_staged_and_dropped(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    turn_tuf_on(&acme);
    let before = last(&acme);
    let mut publisher = Publisher::new(&acme, "notes");
    publisher.targets = Signers::all_of(Signers::one_of([10, 11]).keys);
    let _ = publisher.start(None).expect(202);
    let list = publisher.unsigned_list(&[], &[]);
    let by_one = json!({ "metadata": { "targets": file(&list, &publisher.targets.keys[..1]) } });
    let _ = publisher.send("metadata", by_one.clone()).expect(200);
    let _ = publisher.send("metadata/sign/delete", json!({ "role": "targets" })).expect(202);
    let _ = publisher.send("metadata", by_one).expect(200);
    let signature = file(&list, &publisher.targets.keys[1..])["signatures"][0].clone();
    let last_one = json!({ "role": "targets", "signature": signature });
    let _ = publisher.send("metadata/sign", last_one).expect(200);
    let kinds = ["trust.start", "trust.update", "trust.drop", "trust.update", "trust.sign"];
    assert_eq!(kinds_after(&acme, before), kinds);
}

fn the_service_signs(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _service = begin_service(&acme);
    let before = last(&acme);
    acme.publish(Release::new("1.0.0").with_digests());
    let release = acme.release("1.0.0").id.to_string();
    let artifact = acme.release("1.0.0").artifacts[0].id.clone();
    let named = json!({
        "id": release, "app_name": "notes", "version": "1.0.0", "artifacts_to_delete": [artifact],
    });
    let _ = acme.post_json("/tuf/v1/artifacts/delete", named.clone()).send().expect(202);
    let again = json!({ "app_id": acme.app_id("notes"), "version": "1.0.0" });
    let _ = acme.post_json("/tuf/v1/artifacts/publish", again).send().expect(202);
    let _ = acme.delete(&format!("/apps/delete?id={release}")).send().expect(200);
    let kinds = kinds_after(&acme, before);
    let kinds: Vec<&str> =
        kinds.iter().map(String::as_str).filter(|kind| *kind != "release.update").collect();
    assert_eq!(kinds, ["release.create", "artifact.unlist", "artifact.list", "release.delete"]);
    let _ = acme.get("/tuf/repository/acme/notes/metadata/timestamp.json").send().expect(200);
    let _ = acme.post("/maintenance/run").send().expect(200);
    assert_eq!(
        kinds_after(&acme, before).last().unwrap(),
        "release.delete",
        "routine renewals are not entries"
    );
}
