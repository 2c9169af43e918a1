//! Limits on reports: using them up hides no failing device.

use std::time::UNIX_EPOCH;

use serde_json::{Value, json};
use spindrift_core::Timestamp;
use spindrift_tests::{Driver, World, on_hosts};

use super::{CRASH, Scene};

on_hosts! {
    every: [],
    in_process: [
        devices_count_though_a_stranger_uses_up_the_key,
        a_release_is_not_healthy_while_reports_are_refused,
        a_group_at_its_limit_hides_no_device,
        refused_reports_of_muted_groups_do_not_count,
        a_new_round_forgets_what_was_refused,
        refused_reports_leave_no_keys,
    ],
}

const REFUSED: &str =
    "Failure reports about this release were refused by a rate limit, so some failures may be missing.";

/// 2.0.0 is seen on 400 devices. The clock stands still at the beginning of the next minute.
fn seen(host: Driver, order: &Value) -> Scene {
    let world = World::builder(host).with_variable("device_hash_key", "a key of the tests").start();
    let scene = Scene::of_a_week_before(world);
    let minute = UNIX_EPOCH.elapsed().unwrap().as_secs() / 60 + 1;
    scene.world.platform().set_time(Timestamp::from_millis(i64::try_from(minute).unwrap() * 60_000));
    scene.publish(order);
    scene.see("2.0.0", true, 400, 0);
    scene
}

/// A stranger reports made-up causes of an older version, until the key takes no more in this minute.
fn use_up_the_key(scene: &Scene) {
    for n in 0..100 {
        let _ = scene.report("1.0.0", CRASH, &format!("made-up-{n}"), "a stranger");
    }
    assert_eq!(scene.report("1.0.0", CRASH, "one-more", "a stranger").status, 429);
}

fn crash(scene: &Scene, devices: usize) {
    for n in 0..devices {
        let _ = scene.report("2.0.0", CRASH, "segv", &format!("device-{n}")).expect(429);
    }
}

fn found(scene: &Scene) -> (Value, Value) {
    let health = scene.health();
    (health["verdict"].clone(), health["why"].clone())
}

fn devices_count_though_a_stranger_uses_up_the_key(host: Driver) {
    let scene = seen(host, &json!({ "guard": { "on_unhealthy": "halt", "max_failing": 90 } }));
    use_up_the_key(&scene);
    crash(&scene, 100);

    let run = scene.run();

    assert_eq!(run["acted"][0]["action"], "halt", "{run}");
    // Two of a hundred devices may be the same bit.
    let failing = scene.health()["running"]["k"].as_u64().unwrap();
    assert!((98..=100).contains(&failing), "{failing}");

    // They count once, also when the key has room again.
    scene.world.advance(60);
    for n in 0..25 {
        let _ = scene.report("2.0.0", CRASH, "segv", &format!("device-{n}")).expect(202);
    }
    scene.run();
    assert_eq!(scene.health()["running"]["k"], failing);
}

fn a_release_is_not_healthy_while_reports_are_refused(host: Driver) {
    let scene = seen(host, &json!({}));
    scene.run();
    assert_eq!(found(&scene).0, "healthy");
    use_up_the_key(&scene);
    scene.run();
    assert_eq!(found(&scene).0, "healthy", "nothing about this release was refused");

    crash(&scene, 1);
    let run = scene.run();

    assert_eq!(found(&scene), (json!("unknown"), json!(REFUSED)), "{run}");
    scene.world.advance(3000);
    scene.run();
    assert_eq!(found(&scene), (json!("unknown"), json!(REFUSED)), "for the whole round");
}

fn a_group_at_its_limit_hides_no_device(host: Driver) {
    let scene = seen(host, &json!({}));
    for n in 0..30 {
        let _ = scene.report("2.0.0", CRASH, "segv", &format!("stranger-{n}")).expect(202);
    }
    crash(&scene, 20);
    scene.run();
    let failing = scene.health()["running"]["k"].as_u64().unwrap();
    assert!((49..=50).contains(&failing), "{failing}");
}

fn refused_reports_of_muted_groups_do_not_count(host: Driver) {
    let scene = seen(host, &json!({}));
    let _ = scene.report("2.0.0", CRASH, "segv", "the first").expect(202);
    use_up_the_key(&scene);
    crash(&scene, 30);
    scene.run();
    assert!(scene.health()["running"]["k"].as_u64().unwrap() >= 30);
    let sql = "UPDATE report_groups SET status = 'muted' WHERE reason = 'segv'";
    scene.world.database().execute(sql, []).unwrap();
    scene.run();
    assert_eq!(scene.health()["running"]["k"], 0);
}

/// A stranger chooses devices and causes. The sets of the devices of a round do not grow with them.
fn refused_reports_leave_no_keys(host: Driver) {
    let scene = seen(host, &json!({}));
    use_up_the_key(&scene);
    crash(&scene, 1);
    let before = scene.world.platform().stored_keys();

    crash(&scene, 100);
    for n in 0..300 {
        let (cause, device) = (format!("cause-{n}"), format!("stranger-{n}"));
        let _ = scene.report("2.0.0", CRASH, &cause, &device).expect(429);
    }

    assert_eq!(scene.world.platform().stored_keys(), before);
}

fn a_new_round_forgets_what_was_refused(host: Driver) {
    let scene = seen(host, &json!({ "guard": { "on_unhealthy": "halt" } }));
    use_up_the_key(&scene);
    crash(&scene, 30);
    assert_eq!(scene.run()["acted"][0]["action"], "halt");

    scene.world.advance(60);
    let _ = scene.roll("resume").expect(200);
    scene.run();

    assert_eq!(scene.health()["running"]["k"], 0);
    assert_eq!(found(&scene).0, "healthy");
}
