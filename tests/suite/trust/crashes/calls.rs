//! Calls that sign.

use serde_json::json;
use spindrift_tests::trust::key::Signers;
use spindrift_tests::trust::publisher::{Publisher, entry, file};
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{Driver, on_hosts};

use super::scene::{Scene, notes, targets, upload, upload_anchor};
use super::{Call, kill};
use crate::listing::{begin, begin_service, one_file, turn_tuf_on};

on_hosts! {
    every: [],
    in_process: [
        a_publish_by_the_publisher,
        an_upload_where_the_service_signs,
        a_publication_where_the_service_signs,
        the_last_signature,
        a_rotation_of_all_keys,
        a_refresh_by_a_run,
        a_refresh_by_an_admin,
    ],
}

/// A publisher's repository that lists the anchor. 1.1.0 is uploaded and not listed.
fn of_publisher(host: Driver) -> (Scene, [Vec<TestTarget>; 2]) {
    let (world, acme) = notes(host);
    let publisher = begin(&acme);
    upload_anchor(&acme);
    upload(&acme, "1.1.0");
    let anchor = targets(&world, &acme, "1.0.0");
    let all = [anchor.clone(), targets(&world, &acme, "1.1.0")].concat();
    let _listed = publisher.publish(&anchor).expect(200);
    (Scene::new(world, acme, publisher), [all, anchor])
}

/// A repository that lists the anchor by itself.
fn of_service(host: Driver) -> Scene {
    let (world, acme) = notes(host);
    let publisher = begin_service(&acme);
    upload_anchor(&acme);
    Scene::new(world, acme, publisher)
}

fn post(publisher: &Publisher, path: &'static str, body: serde_json::Value) -> Call {
    let publisher = publisher.clone();
    Box::new(move || publisher.send(path, body.clone()))
}

/// Adds 1.1.0, and takes it off the list.
fn a_publish_by_the_publisher(host: Driver) {
    let (mut scene, lists) = of_publisher(host);
    kill("publish", &mut scene, &[200], |scene, round| {
        let publisher = &scene.publisher;
        let list = publisher.list(&lists[usize::from(!round.is_multiple_of(2))]);
        let body = json!({ "metadata": { "targets": list }, "base": publisher.version("targets") });
        post(publisher, "metadata", body)
    });
}

fn an_upload_where_the_service_signs(host: Driver) {
    let mut scene = of_service(host);
    kill("completion", &mut scene, &[200], |scene, round| {
        let upload = scene.acme.stage(&one_file(&format!("1.1.{round}")).published());
        let acme = scene.acme.clone();
        Box::new(move || acme.complete(&upload))
    });
}

fn a_publication_where_the_service_signs(host: Driver) {
    let mut scene = of_service(host);
    let id = scene.acme.upload(&one_file("1.1.0"));
    kill("publication", &mut scene, &[200], |scene, round| {
        let (acme, id) = (scene.acme.clone(), id.clone());
        Box::new(move || acme.edit(&id, json!({ "publish": round.is_multiple_of(2) })))
    });
}

/// Two signers of a list.
fn the_last_signature(host: Driver) {
    let (world, acme) = notes(host);
    turn_tuf_on(&acme);
    let mut publisher = Publisher::new(&acme, "notes");
    publisher.targets = Signers::all_of(Signers::one_of([10, 11]).keys);
    let _ = publisher.start(None).expect(202);
    upload_anchor(&acme);
    upload(&acme, "1.1.0");
    let anchor = targets(&world, &acme, "1.0.0");
    let all = [anchor.clone(), targets(&world, &acme, "1.1.0")].concat();
    let _ = publisher.publish(&anchor).expect(200);
    let mut scene = Scene::new(world, acme, publisher);
    let lists = [all, anchor];
    kill("signature", &mut scene, &[200], |scene, round| {
        let publisher = &scene.publisher;
        let list = publisher.unsigned_list(&lists[usize::from(!round.is_multiple_of(2))], &[]);
        let [first, second] = [0, 1].map(|one| file(&list, &publisher.targets.keys[one..=one]));
        let _staged = publisher.send("metadata", json!({ "metadata": { "targets": first } })).expect(200);
        post(publisher, "metadata/sign", json!({ "role": "targets", "signature": second["signatures"][0] }))
    });
}

/// The next keys of root, of targets, and of the service, in one call.
fn a_rotation_of_all_keys(host: Driver) {
    let (mut scene, lists) = of_publisher(host);
    kill("rotation", &mut scene, &[200], |scene, round| {
        let old = scene.publisher.clone();
        let seed = 20 + 3 * u8::try_from(round % 70).unwrap();
        scene.publisher.root = Signers::one_of([seed, seed + 1]);
        scene.publisher.targets = Signers::one_of([seed + 2]);
        let new = &scene.publisher;
        let mut named = new.named();
        named.online = old.service_key("next_online_key");
        assert_eq!(named.targets, [entry(&new.targets.keys[0])]);
        let version = old.get("metadata/root").json()["data"]["trusted_root"]["signed"]["version"].as_u64();
        let signers = [&old.root.keys[..1], &new.root.keys[..1]].concat();
        let root = new.root_file(version.unwrap() + 1, &named, &signers);
        let list = new.unsigned_list(&lists[usize::from(!round.is_multiple_of(2))], &[]);
        let list = file(&list, &[&old.targets.keys[..], &new.targets.keys].concat());
        post(new, "metadata", json!({ "metadata": { "root": root, "targets": list } }))
    });
}

/// Makes the current timestamp one that lasts a day, and timestamps last a month from now on.
fn make_due(scene: &Scene) {
    let execute = |sql: &str| assert_eq!(scene.world.database().execute(sql, []).unwrap(), 1);
    execute("UPDATE repositories SET timestamp_days = 1");
    let _ = scene.publisher.send("metadata/online", json!({ "roles": ["timestamp"] })).expect(202);
    execute("UPDATE repositories SET timestamp_days = 30, due_at = 1, refresh_failed_at = NULL");
}

fn a_refresh_by_a_run(host: Driver) {
    let (mut scene, _) = of_publisher(host);
    kill("refresh", &mut scene, &[200], |scene, _| {
        make_due(scene);
        let acme = scene.acme.clone();
        Box::new(move || acme.post("/maintenance/run").send())
    });
}

fn a_refresh_by_an_admin(host: Driver) {
    let (mut scene, _) = of_publisher(host);
    kill("signing again", &mut scene, &[202], |scene, _| {
        post(&scene.publisher, "metadata/online", json!({}))
    });
}
