//! Calls that delete.

use serde_json::json;
use spindrift_tests::trust::client::{Client, Installation};
use spindrift_tests::{Account, Driver, PUBLIC_BUCKET, World, on_hosts};

use super::super::gets;
use super::scene::{Scene, notes, targets, upload_anchor};
use super::{Call, kill_and_look};
use crate::listing::{begin, begin_service, two_files};

on_hosts! {
    every: [],
    in_process: [
        a_deletion_where_the_service_signs,
        a_deletion_of_artifacts_where_the_service_signs,
        a_deletion_where_the_publisher_signs,
        an_end_of_a_repository,
        a_start_of_a_repository,
        a_deletion_of_an_application,
    ],
}

const FOLDER: &str = "acme/notes/stable/linux/amd64";

fn of_service(host: Driver) -> Scene {
    let (world, acme) = notes(host);
    let publisher = begin_service(&acme);
    upload_anchor(&acme);
    Scene::new(world, acme, publisher)
}

/// Nothing is stored of the deleted files, at the latest after maintenance.
fn nothing_is_left(scene: &mut Scene) {
    if !objects(&scene.world).is_empty() {
        let _run = scene.acme.post("/maintenance/run").send().expect(200);
    }
    assert_eq!(objects(&scene.world), [""; 0]);
}

fn objects(world: &World) -> Vec<String> {
    world.store().keys(PUBLIC_BUCKET, FOLDER)
}

fn a_deletion_where_the_service_signs(host: Driver) {
    let mut scene = of_service(host);
    let prepare = |scene: &mut Scene, round: u32| {
        let id = scene.acme.publish(two_files(&format!("1.1.{round}")));
        let acme = scene.acme.clone();
        Box::new(move || acme.delete(&format!("/apps/delete?id={id}")).send()) as Call
    };
    kill_and_look("deletion", &mut scene, &[200, 404], prepare, nothing_is_left);
}

fn a_deletion_of_artifacts_where_the_service_signs(host: Driver) {
    let mut scene = of_service(host);
    let prepare = |scene: &mut Scene, round: u32| {
        let version = format!("1.1.{round}");
        let _id = scene.acme.publish(two_files(&version));
        let release = scene.acme.release(&version);
        let ids: Vec<_> = release.artifacts.iter().map(|artifact| artifact.id.clone()).collect();
        let data = json!({
            "id": release.id, "app_name": "notes", "version": version, "artifacts_to_delete": ids,
        });
        let (acme, data) = (scene.acme.clone(), data.to_string());
        Box::new(move || acme.post_form("/artifact/delete", &[("data", &data)]).send()) as Call
    };
    kill_and_look("deletion of artifacts", &mut scene, &[200, 404], prepare, nothing_is_left);
}

fn a_deletion_where_the_publisher_signs(host: Driver) {
    let (world, acme) = notes(host);
    let publisher = begin(&acme);
    upload_anchor(&acme);
    let _ = publisher.publish(&targets(&world, &acme, "1.0.0")).expect(200);
    let mut scene = Scene::new(world, acme, publisher);
    let prepare = |scene: &mut Scene, round: u32| {
        let version = format!("1.1.{round}");
        let id = scene.acme.publish(two_files(&version));
        let [anchor, new] = ["1.0.0", &version].map(|version| targets(&scene.world, &scene.acme, version));
        let _ = scene.publisher.publish(&[anchor, new].concat()).expect(200);
        let acme = scene.acme.clone();
        Box::new(move || acme.delete(&format!("/apps/delete?id={id}")).send()) as Call
    };
    kill_and_look("deletion of what a publisher lists", &mut scene, &[200, 404], prepare, nothing_is_left);
}

/// A publisher's repository that lists the anchor.
fn of_publisher(host: Driver) -> Scene {
    let (world, acme) = notes(host);
    let publisher = begin(&acme);
    upload_anchor(&acme);
    let _ = publisher.publish(&targets(&world, &acme, "1.0.0")).expect(200);
    let mut scene = Scene::new(world, acme, publisher);
    scene.may_end = true;
    scene
}

/// The call that ends the repository.
fn end(acme: &Account) -> Call {
    let acme = acme.clone();
    Box::new(move || acme.delete("/tuf/v1/bootstrap?appName=notes&confirm=acme/notes").send())
}

fn metadata(world: &World) -> Vec<String> {
    world.store().keys(PUBLIC_BUCKET, "tuf_metadata/")
}

/// Nothing is there of a repository, at the latest after maintenance.
fn no_metadata_is_left(scene: &mut Scene) {
    if !metadata(&scene.world).is_empty() {
        let _run = scene.acme.post("/maintenance/run").send().expect(200);
    }
    assert_eq!(metadata(&scene.world), [""; 0]);
    let _absent = scene.world.get("/tuf/repository/acme/notes/metadata/timestamp.json").send().expect(404);
}

fn an_end_of_a_repository(host: Driver) {
    let mut scene = of_publisher(host);
    let prepare = |scene: &mut Scene, round: u32| {
        if round > 0 {
            let list = scene.publisher.list(std::slice::from_ref(&scene.anchor));
            let _started = scene.publisher.start(Some(&list)).expect(202);
        }
        end(&scene.acme)
    };
    kill_and_look("end of a repository", &mut scene, &[202, 404], prepare, no_metadata_is_left);
}

fn a_start_of_a_repository(host: Driver) {
    let mut scene = of_publisher(host);
    let prepare = |scene: &mut Scene, _: u32| {
        let _ended = end(&scene.acme)().expect(202);
        no_metadata_is_left(scene);
        let publisher = scene.publisher.clone();
        let root = publisher.root_file(1, &publisher.named(), &publisher.root.keys[..1]);
        let list = publisher.list(std::slice::from_ref(&scene.anchor));
        Box::new(move || publisher.start_with(json!({ "metadata": { "root": root, "targets": list } })))
            as Call
    };
    // 409: the start that was killed had come to its end.
    kill_and_look("start of a repository", &mut scene, &[202, 409], prepare, |scene| {
        let state = scene.publisher.get("bootstrap").expect(200).json();
        assert_eq!((&state["data"]["bootstrap"], &state["data"]["state"]), (&json!(true), &json!(null)));
        let root = scene.publisher.pinned_root();
        for place in scene.places() {
            gets(&Installation::new(Client::Tough, &root), &place, &scene.anchor);
        }
    });
}

fn a_deletion_of_an_application(host: Driver) {
    let mut scene = of_publisher(host);
    let id = scene.acme.release("1.0.0").id;
    let _deleted = scene.acme.delete(&format!("/apps/delete?id={id}")).send().expect(200);
    let prepare = |scene: &mut Scene, round: u32| {
        if round > 0 {
            scene.acme.create_app("notes");
            let _publisher = begin(&scene.acme);
        }
        let (acme, id) = (scene.acme.clone(), scene.acme.app_id("notes"));
        Box::new(move || acme.delete(&format!("/app/delete?id={id}")).send()) as Call
    };
    kill_and_look("deletion of an application", &mut scene, &[200, 404], prepare, no_metadata_is_left);
}
