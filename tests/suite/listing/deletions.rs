//! Deleting what is listed.

use serde_json::json;
use spindrift_tests::{Account, Driver, PUBLIC_BUCKET, Release, World, on_hosts};

use super::{begin, begin_service, listed, listed_versions, one_file, sign, states, two_files};

on_hosts! {
    every: [
        the_service_takes_a_release_off_its_list_first,
        the_service_takes_artifacts_off_its_list_first,
        an_edit_replaces_a_listed_file,
        nothing_is_deleted_that_cannot_be_taken_off,
        a_publishers_list_keeps_what_is_deleted,
    ],
}

const FOLDER: &str = "acme/notes/stable/linux/amd64";

fn objects(world: &World) -> Vec<String> {
    world.store().keys(PUBLIC_BUCKET, FOLDER)
}

fn delete(acme: &Account, version: &str) -> u16 {
    let id = acme.release(version).id;
    acme.delete(&format!("/apps/delete?id={id}")).send().status
}

fn the_service_takes_a_release_off_its_list_first(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    acme.publish(one_file("1.0.0"));
    acme.publish(one_file("1.1.0"));
    assert_eq!(delete(&acme, "1.1.0"), 200);
    assert_eq!(listed_versions(&acme), ["1.0.0"]);
    assert_eq!(acme.check("0.9")["version"], "1.0.0");
    assert_eq!(objects(&world), [format!("{FOLDER}/notes-1.0.0.deb")]);
    acme.publish(one_file("1.1.0"));
    assert_eq!(listed_versions(&acme), ["1.0.0", "1.1.0"], "a new one is listed");
}

fn the_service_takes_artifacts_off_its_list_first(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    acme.publish(two_files("1.0.0"));
    let release = acme.release("1.0.0");
    let data = json!({
        "id": release.id, "app_name": "notes", "version": "1.0.0",
        "artifacts_to_delete": [release.artifacts[0].id],
    });
    let _ = acme.post_form("/artifact/delete", &[("data", &data.to_string())]).send().expect(200);
    assert_eq!(listed(&acme), [format!("{FOLDER}/notes-1.0.0.rpm")]);
    assert_eq!(objects(&world), [format!("{FOLDER}/notes-1.0.0.rpm")]);
}

fn an_edit_replaces_a_listed_file(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    let id = acme.publish(two_files("1.0.0"));
    let release = acme.release("1.0.0");
    let change = json!({ "artifacts_to_delete": [release.artifacts[0].id] });
    let new = Release::empty("1.0.0").file("notes.deb", "new bytes");
    let _ = acme.edit_with_files(&id, &new, &change).expect(200);
    assert_eq!(states(&acme), ["1.0.0 rpm listed", "1.0.0 deb listed"]);
    let url = acme.check("0.9")["update_url_deb"].as_str().unwrap().to_owned();
    let name = url.split_once(&format!("{PUBLIC_BUCKET}/")).unwrap().1;
    assert!(listed(&acme).iter().any(|listed| listed == name), "{name}");
    let _ = acme.edit(&id, json!({ "artifacts_to_delete": [0] })).expect(200);
    assert_eq!(states(&acme), ["1.0.0 deb listed"]);
    assert_eq!(listed(&acme), [name]);
}

fn nothing_is_deleted_that_cannot_be_taken_off(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    acme.publish(one_file("1.0.0"));
    world.store().stop();
    assert_eq!(delete(&acme, "1.0.0"), 502);
    world.store().start_again();
    assert_eq!(acme.releases().len(), 1);
    assert_eq!(objects(&world).len(), 1);
    assert_eq!(listed_versions(&acme), ["1.0.0"], "the current set stays");
    assert_eq!(delete(&acme, "1.0.0"), 200);
    assert_eq!(listed_versions(&acme), [""; 0]);
    assert_eq!(objects(&world), [""; 0]);
}

fn a_publishers_list_keeps_what_is_deleted(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin(&acme);
    acme.publish(one_file("1.0.0"));
    sign(&world, &acme, |_| true);
    assert_eq!(delete(&acme, "1.0.0"), 200);
    assert_eq!(listed_versions(&acme), ["1.0.0"]);
    assert_eq!(objects(&world), [""; 0]);
    assert_eq!(acme.check("0.9")["error"], "Not found");
    sign(&world, &acme, |_| true);
    assert_eq!(listed_versions(&acme), [""; 0]);
}
