//! Promotions of applications with signed metadata: clients get copies of the files, once these are listed for their channel.

use serde_json::{Value, json};
use spindrift_tests::{CDN_BUCKET, Driver, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, World, on_hosts};
use spindrift_web::KeyValue as _;

use super::Scene;
use crate::listing::{begin, begin_service, items, listed, sign};
use crate::static_answers;

on_hosts! {
    every: [
        the_service_lists_copies_for_the_channel,
        a_publisher_lists_copies_for_the_channel,
        ending_a_promotion_removes_its_copies,
        files_that_are_deleted_take_their_copies_along,
        files_cannot_be_added_beside_copies,
        a_repository_begins_without_promotions,
    ],
    in_process: [
        copies_stay_if_only_the_work_after_them_fails,
        a_call_that_dies_leaves_no_copies, a_storage_that_fails_leaves_no_copies],
}

const OWN: &str = "acme/notes/beta/linux/amd64/notes-2.0.0.deb";
const COPY: &str = "acme/notes/stable/linux/amd64/notes-2.0.0.deb";

fn with_service(host: Driver) -> Scene {
    with_service_in(World::new(host))
}

fn with_service_in(world: World) -> Scene {
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    Scene::of(world, acme)
}

/// The address of the file in the answer to a client of 1.0.0.
fn url(scene: &Scene, channel: &str) -> String {
    let path = scene.acme.check_path("1.0.0").replace("channel=stable", &format!("channel={channel}"));
    scene.acme.get(&path).ok()["update_url_deb"].as_str().unwrap_or_default().to_owned()
}

fn objects(scene: &Scene) -> Vec<String> {
    let mut keys = scene.world.store().keys(PUBLIC_BUCKET, "acme/notes/");
    keys.retain(|key| key.ends_with("notes-2.0.0.deb"));
    keys
}

fn the_service_lists_copies_for_the_channel(host: Driver) {
    let scene = with_service(host);
    scene.promote(100);
    let mut names = listed(&scene.acme);
    names.sort();
    assert_eq!(names, [OWN, "acme/notes/stable/linux/amd64/notes-1.0.0.deb", COPY]);
    let [own, copy] = [OWN, COPY].map(|key| scene.world.store().object(PUBLIC_BUCKET, key));
    assert!(own.is_some() && own == copy, "the same bytes");
    assert!(url(&scene, "stable").ends_with(COPY), "{}", url(&scene, "stable"));
    assert!(url(&scene, "beta").ends_with(OWN), "{}", url(&scene, "beta"));
    let custom: Vec<Value> =
        items(&scene.acme).iter().map(|item| json!([item["version"], item["channel"]])).collect();
    assert!(
        custom.contains(&json!(["2.0.0", "stable"])) && custom.contains(&json!(["2.0.0", "beta"])),
        "{custom:?}"
    );
    assert_eq!(scene.acme.release("2.0.0").artifacts.len(), 1, "copies are not artifacts of their own");
    // No byte of the file went through the service: it sent a copy request.
    let staged = scene.world.store().keys(PRIVATE_BUCKET, "pending/");
    assert_eq!(staged, Vec::<String>::new());
}

fn a_publisher_lists_copies_for_the_channel(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin(&acme);
    let scene = Scene::of(world, acme);
    sign(&scene.world, &scene.acme, |_| true);
    scene.promote(100);
    assert_eq!(scene.version("stable", ""), "1.0.0", "not yet signed for the channel");
    assert_eq!(scene.version("beta", ""), "2.0.0");
    sign(&scene.world, &scene.acme, |_| true);
    assert_eq!(scene.version("stable", ""), "2.0.0");
    assert!(url(&scene, "stable").ends_with(COPY));
}

fn ending_a_promotion_removes_its_copies(host: Driver) {
    let scene = with_service(host);
    scene.promote(100);
    assert_eq!(objects(&scene), [OWN, COPY]);
    let _ = scene.end("stable").expect(200);
    assert_eq!(objects(&scene), [OWN]);
    assert!(!listed(&scene.acme).contains(&COPY.to_owned()));
    assert_eq!(scene.version("stable", ""), "1.0.0");
    scene.promote(100);
    assert_eq!(objects(&scene), [OWN, COPY]);
    let _ = scene.acme.delete(&format!("/apps/delete?id={}", scene.tested)).send().expect(200);
    assert_eq!(objects(&scene), [""; 0]);
    assert_eq!(listed(&scene.acme).len(), 1);
}

fn files_that_are_deleted_take_their_copies_along(host: Driver) {
    let scene = with_service(host);
    scene.promote(100);
    let _ = scene.acme.edit(&scene.tested, json!({ "artifacts_to_delete": [0] })).expect(200);
    assert_eq!(objects(&scene), [""; 0]);
    assert_eq!(listed(&scene.acme), ["acme/notes/stable/linux/amd64/notes-1.0.0.deb"]);
}

fn files_cannot_be_added_beside_copies(host: Driver) {
    let scene = with_service(host);
    scene.promote(100);
    let added = Release::empty("2.0.0").file("notes.rpm", "another").with_digests().with("channel", "beta");
    let refused =
        "the release was promoted to stable: end the promotion, add the files, and promote it again";
    assert_eq!(scene.acme.init(&added).refusal(), (409, refused.to_owned()));
    let _ = scene.end("stable").expect(200);
    scene.acme.publish(added);
    scene.promote(100);
    assert_eq!(listed(&scene.acme).iter().filter(|name| name.contains("/stable/")).count(), 3);
}

fn a_repository_begins_without_promotions(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.promote(100);
    crate::listing::turn_tuf_on(&scene.acme);
    let publisher = spindrift_tests::trust::publisher::Publisher::new(&scene.acme, "notes");
    let refused =
        "version 2.0.0 was promoted to another channel: end the promotion, and promote it again afterwards";
    assert_eq!(publisher.start(Some(&publisher.list(&[]))).refusal(), (409, refused.to_owned()));
    let _ = scene.end("stable").expect(200);
    let _ = publisher.start(Some(&publisher.list(&[]))).expect(202);
}

/// More writes than a promotion has.
const MAX_WRITES: u64 = 60;

/// Killed at each write. Then maintenance deletes what the call has left, and the same call succeeds.
fn a_call_that_dies_leaves_no_copies(host: Driver) {
    let scene = with_service(host);
    let promote = || scene.post("promote", json!({ "channel": "stable", "publish": true }));
    let mut deaths = 0;
    for at in 0..MAX_WRITES {
        scene.world.platform().die_after(at);
        let answer = promote();
        if !scene.world.platform().revive() {
            assert_eq!(answer.status, 201, "{at}");
            break;
        }
        deaths += 1;
        // As if so much time had passed that the killed call counts as dead.
        let _ended = scene.world.database().execute("DELETE FROM leases", []).unwrap();
        let platform = scene.world.platform();
        let kept = platform.stored_keys().into_iter().filter(|key| key.starts_with("scope."));
        kept.for_each(|key| platform.delete(&key).unwrap());
        let is_there = scene.release()["offers"].as_array().unwrap().len() == 2;
        if is_there {
            let _ = scene.acme.post("/maintenance/run").send().expect(200);
            assert_eq!(scene.version("stable", ""), "2.0.0", "{at}: a whole offer");
            let _ = scene.end("stable").expect(200);
        }
        assert_eq!(scene.version("stable", ""), "1.0.0", "{at}");
        let _expired = scene.world.database().execute("UPDATE object_claims SET expires_at = 0", []).unwrap();
        let _ = scene.acme.post("/maintenance/run").send().expect(200);
        assert_eq!(objects(&scene), [OWN], "{at}: nothing is left");
    }
    assert!((5..MAX_WRITES).contains(&deaths), "{deaths} deaths");
    assert_eq!(objects(&scene), [OWN, COPY]);
    assert_eq!(scene.version("stable", ""), "2.0.0");
}

fn a_storage_that_fails_leaves_no_copies(host: Driver) {
    let scene = with_service_in(World::builder(host).with_gate().start());
    scene.world.gate().watch(&format!("/{PUBLIC_BUCKET}/acme/notes/stable/"));
    scene.world.gate().refuse(true);
    let failed = scene.post("promote", json!({ "channel": "stable", "publish": true }));
    assert_eq!(failed.status, 502, "{}", failed.text());
    scene.world.gate().refuse(false);
    assert_eq!(scene.release()["offers"].as_array().unwrap().len(), 1);
    // The keys that it was to write are still claimed, so the copy has another one.
    scene.promote(100);
    assert_eq!(scene.version("stable", ""), "2.0.0");
    let copy = url(&scene, "stable");
    assert!(copy.ends_with("/notes-2.0.0.deb") && !copy.ends_with(COPY), "{copy}");
    let _expired = scene.world.database().execute("UPDATE object_claims SET expires_at = 0", []).unwrap();
    let _ = scene.acme.post("/maintenance/run").send().expect(200);
    assert_eq!(objects(&scene).len(), 2, "{:?}", objects(&scene));
}

/// The promotion is recorded, and only the static answers cannot be written.
fn copies_stay_if_only_the_work_after_them_fails(host: Driver) {
    let world = World::builder(host).with_gate().start();
    let acme = static_answers::acme(&world);
    let _publisher = begin_service(&acme);
    let scene = Scene::of(world, acme);
    scene.world.gate().watch(&format!("/{CDN_BUCKET}/"));
    scene.world.gate().refuse(true);
    let answer = scene.post("promote", json!({ "channel": "stable", "publish": true }));
    scene.world.gate().refuse(false);
    println!("{}: {}", answer.status, answer.text());
    assert_eq!(scene.release()["offers"].as_array().unwrap().len(), 2);
    assert_eq!(objects(&scene), [OWN, COPY]);
    for _ in 0..2 {
        let _ = scene.acme.post("/maintenance/run").send().expect(200);
    }
    assert_eq!(objects(&scene), [OWN, COPY]);
    assert_eq!(scene.version("stable", ""), "2.0.0");
}
