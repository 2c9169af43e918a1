//! Deleting listed files.

use serde_json::json;
use spindrift_tests::{Account, Driver, Multipart, PUBLIC_BUCKET, Release, World, on_hosts};

use super::{begin, begin_service, listed, listed_versions, one_file, sign, states, two_files};

on_hosts! {
    every: [
        the_service_takes_a_release_off_its_list_first,
        the_service_takes_artifacts_off_its_list_first,
        an_edit_replaces_a_listed_file,
        nothing_is_deleted_that_cannot_be_taken_off,
        an_edit_whose_files_do_not_arrive_leaves_the_list_as_it_is,
        a_deletion_that_was_killed_is_undone_by_maintenance,
        a_file_that_came_meanwhile_is_not_deleted_while_it_is_listed,
        a_publishers_list_keeps_deleted_files,
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

/// The form ends in the middle of its file.
fn an_edit_whose_files_do_not_arrive_leaves_the_list_as_it_is(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    let id = acme.publish(two_files("1.0.0"));
    let before = (listed(&acme), current_list(&acme), acme.check("0.9"));
    let mut data = Release::empty("1.0.0").data().clone();
    data["id"] = json!(id);
    data["artifacts_to_delete"] = json!([acme.release("1.0.0").artifacts[0].id]);
    let form = Multipart::new().field("data", data.to_string()).file("notes.deb", "the first bytes");
    let call = acme.post("/apps/update").header("content-type", &Multipart::content_type());
    assert_eq!(call.body(&form.unfinished()).send().status, 400);

    assert_eq!(states(&acme), ["1.0.0 deb listed", "1.0.0 rpm listed"]);
    assert_eq!((listed(&acme), current_list(&acme), acme.check("0.9")), before);
}

/// The number of the current list.
fn current_list(acme: &Account) -> serde_json::Value {
    let answer = acme.get("/tuf/v1/metadata/targets?appName=notes").ok();
    answer["data"]["trusted_targets"]["signed"]["version"].clone()
}

fn a_deletion_that_was_killed_is_undone_by_maintenance(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    acme.publish(two_files("1.0.0"));
    let name = "acme/notes/stable/linux/amd64/notes-1.0.0.deb";
    let rpm = acme.release("1.0.0").artifacts[1].id.to_string();
    let body = json!({ "id": acme.release("1.0.0").id, "app_name": "notes", "version": "1.0.0",
        "artifacts_to_delete": [rpm] });
    let _ = acme.post_json("/tuf/v1/artifacts/delete", body).send().expect(202);
    assert_eq!(states(&acme), ["1.0.0 deb listed", "1.0.0 rpm unlisted"]);

    // The state that a call leaves if it is killed before it deletes anything. The lists follow with the next change.
    world.database().execute("UPDATE artifacts SET leaving_until = 1", []).unwrap();
    acme.publish(one_file("1.1.0"));
    assert!(!listed(&acme).iter().any(|listed| listed == name), "{:?}", listed(&acme));

    acme.post("/maintenance/run").ok();
    assert_eq!(states(&acme), ["1.1.0 deb listed", "1.0.0 deb listed", "1.0.0 rpm unlisted"], "as it was");
    assert!(listed(&acme).iter().any(|listed| listed == name), "{:?}", listed(&acme));
}

/// It is recorded after the others leave the list and before the release is deleted.
fn a_file_that_came_meanwhile_is_not_deleted_while_it_is_listed(host: Driver) {
    let world = World::builder(host).with_gate().start();
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    let id = acme.publish(one_file("1.0.0"));
    world.gate().watch(&format!("/{PUBLIC_BUCKET}/tuf_metadata/"));
    world.gate().hold();
    let answer = std::thread::scope(|scope| {
        let deleting = scope.spawn(|| acme.delete(&format!("/apps/delete?id={id}")).send());
        world.gate().hold_no_more();
        let _ = acme.upload_in_one(&Release::empty("1.0.0").file("notes.rpm", "rpm")).expect(200);
        world.gate().release();
        deleting.join().unwrap()
    });
    assert_eq!(answer.refusal(), (409, "a file of the release is in use by another call".to_owned()));
    assert_eq!(answer.code(), "busy");
    assert_eq!(states(&acme), ["1.0.0 deb listed", "1.0.0 rpm listed"]);
    assert_eq!(objects(&world).len(), 2);

    assert_eq!(delete(&acme, "1.0.0"), 200);
    assert_eq!(listed_versions(&acme), [""; 0]);
    assert_eq!(objects(&world), [""; 0]);
}

fn a_publishers_list_keeps_deleted_files(host: Driver) {
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
