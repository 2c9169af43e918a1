//! Storages and writers that fail.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use spindrift_tests::{Account, CDN_BUCKET, Driver, Release, World, on_hosts};

use super::{FOLDER, acme, assert_true, assert_written, id_of, keys, published, set_cdn};

on_hosts! {
    every: [
        a_storage_that_is_down_stops_no_change,
        later_changes_finish_what_is_left,
        a_removal_that_failed_is_done_later,
        two_writers_leave_the_newer_answers,
        a_writer_that_never_ends_blocks_nobody,
        foreign_changes_of_objects_last_a_day,
    ],
    in_process: [
        other_settings_are_written_by_maintenance,
        a_storage_that_does_not_answer_is_waited_for_ten_seconds,
    ],
}

fn maintain(acme: &Account) -> u64 {
    acme.post("/maintenance/run").send().expect(200).json()["objects_deleted"].as_u64().unwrap()
}

fn execute(world: &World, sql: &str) {
    world.database().execute(sql, []).unwrap();
}

/// How many folders are behind.
fn behind(world: &World) -> i64 {
    let sql = "SELECT count(*) FROM projections WHERE written <> changed";
    world.database().query_row(sql, [], |row| row.get(0)).unwrap()
}

fn a_storage_that_is_down_stops_no_change(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("2.0.0"));

    world.store().stop();
    let _ = acme.edit(&id_of(&acme, "2.0.0"), json!({ "publish": false })).expect(200);
    let _ = acme.edit(&id_of(&acme, "1.0.0"), json!({ "changelog": "Sorry." })).expect(200);
    assert_eq!(acme.check("1.0.0")["changelog"], "Sorry.");
    assert_eq!(acme.post("/maintenance/run").send().status, 502);
    world.store().start_again();

    let object = published(world.store(), &format!("{FOLDER}/1.0.0.json"));
    assert_eq!(object.json()["version"], "2.0.0", "nobody could write");
    maintain(&acme);
    assert_written(&world, &["1.0.0", "2.0.0"]);
}

fn later_changes_finish_what_is_left(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app("papers");
    let papers = acme.publish(Release::new("1.0.0").with("app_name", "papers"));
    let notes = acme.publish(Release::new("1.0.0"));

    world.store().stop();
    let _ = acme.edit(&notes, json!({ "changelog": "new" })).expect(200);
    world.store().start_again();
    let _ = acme.edit(&papers, json!({ "changelog": "new" })).expect(200);

    assert_written(&world, &["1.0.0"]);
}

fn a_removal_that_failed_is_done_later(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let id = acme.publish(Release::new("1.0.0"));

    world.store().stop();
    set_cdn(&acme, false);
    world.store().start_again();
    assert_eq!(keys(world.store()).len(), 2);
    assert_eq!(maintain(&acme), 2);
    assert_eq!(keys(world.store()), [""; 0]);

    set_cdn(&acme, true);
    let _ = acme.delete(&format!("/apps/delete?id={id}")).send().expect(200);
    world.store().stop();
    let _ = acme.delete(&format!("/app/delete?id={}", acme.app_id("notes"))).send().expect(200);
    world.store().start_again();
    assert_eq!(maintain(&acme), 2);
    assert_eq!(keys(world.store()), [""; 0]);
}

/// One has derived the answers and is slow to write them; another changes something and writes meanwhile.
fn two_writers_leave_the_newer_answers(host: Driver) {
    let world = World::builder(host).with_gate().start();
    let acme = acme(&world);
    let id = acme.publish(Release::new("1.0.0"));
    let gate = world.gate();

    gate.hold();
    thread::scope(|scope| {
        let slow = scope.spawn(|| acme.edit(&id, json!({ "changelog": "older" })).expect(200));
        gate.hold_no_more();
        let _ = acme.edit(&id, json!({ "changelog": "newer" })).expect(200);
        assert_written(&world, &["1.0.0"]);
        gate.release();
        let _ = slow.join().unwrap();
    });

    assert_eq!(published(world.store(), &format!("{FOLDER}/1.0.0.json")).json()["changelog"], "newer");
    assert_written(&world, &["1.0.0"]);
    assert_eq!(behind(&world), 1, "neither was alone");
    execute(&world, "UPDATE projections SET others_until = 1");
    maintain(&acme);
    assert_written(&world, &["1.0.0"]);
    assert_eq!(behind(&world), 0);
}

fn a_writer_that_never_ends_blocks_nobody(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    // Killed in the middle of its work, a moment ago.
    execute(
        &world,
        "UPDATE projections SET changed = changed + 1, writer = 'gone', writer_until = (strftime('%s', 'now') + 60) * 1000",
    );
    world.store().write(CDN_BUCKET, &format!("{FOLDER}/1.0.0.json"), b"half of the work");

    maintain(&acme);
    assert_written(&world, &["1.0.0"]);
    assert_eq!(behind(&world), 1, "something of the other one's may still arrive");

    world.store().write(CDN_BUCKET, &format!("{FOLDER}/1.0.0.json"), b"it does");
    execute(&world, "UPDATE projections SET writer_until = 1, others_until = 1");
    maintain(&acme);
    assert_written(&world, &["1.0.0"]);
    assert_eq!(behind(&world), 0);
}

fn foreign_changes_of_objects_last_a_day(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));
    world.store().write(CDN_BUCKET, &format!("{FOLDER}/1.0.0.json"), b"{}");
    world.store().write(CDN_BUCKET, &format!("{FOLDER}/7.0.0.json"), b"{}");
    world.store().remove(CDN_BUCKET, &format!("{FOLDER}/manual/1.0.0.json"));

    maintain(&acme);
    assert_eq!(published(world.store(), &format!("{FOLDER}/1.0.0.json")).text(), "{}", "not looked at yet");
    execute(&world, "UPDATE projections SET checked_at = checked_at - 25 * 60 * 60 * 1000");
    assert_eq!(maintain(&acme), 1);

    assert_written(&world, &["1.0.0"]);
}

fn other_settings_are_written_by_maintenance(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(Release::new("1.0.0"));

    world.platform().set_variable("s3_public_url", "https://files.example");
    maintain(&acme);

    let object = published(world.store(), &format!("{FOLDER}/1.0.0.json")).json();
    assert!(object["update_url_deb"].as_str().unwrap().starts_with("https://files.example/"), "{object}");
    assert_true(world.store(), world.client());
}

fn a_storage_that_does_not_answer_is_waited_for_ten_seconds(host: Driver) {
    let world = World::builder(host).with_gate().start();
    let acme = acme(&world);
    let id = acme.publish(Release::new("1.0.0"));
    world.gate().hold();

    let start = Instant::now();
    let _ = acme.edit(&id, json!({ "changelog": "new" })).expect(200);

    let waited = start.elapsed();
    assert!((Duration::from_secs(9)..Duration::from_secs(15)).contains(&waited), "{waited:?}");
    world.gate().release();
    maintain(&acme);
    assert_written(&world, &["1.0.0"]);
}
