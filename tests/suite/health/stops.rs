//! Stops: a guard pauses or halts what is unhealthy, once, and does nothing else.

use serde_json::{Value, json};
use spindrift_tests::{Driver, Release, on_hosts};

use super::{CRASH, Scene, reporting};
use crate::audit::{kinds_after, last, newest};

on_hosts! {
    every: [
        a_guard_pauses_a_plan_once,
        a_guard_halts_what_everybody_gets,
        muted_failures_do_not_count,
        without_a_guard_people_are_told_once,
        without_counts_of_devices_a_maximum_decides,
        reports_change_no_answer,
        a_guard_does_not_undo_what_people_did,
        a_guard_stops_a_promotion_alone,
    ],
}

const PLAN: &str = r#"[{ "percent": 5, "for": "1d" }, { "percent": 100 }]"#;

fn plan() -> Value {
    serde_json::from_str(PLAN).unwrap()
}

/// A plan of 2.0.0 runs, and 30 of 100 devices fail.
fn failing(host: Driver, more: &Value) -> Scene {
    let scene = Scene::with_a_week_before(host);
    scene.publish(more);
    scene.see("2.0.0", true, 100, 0);
    scene.fail("2.0.0", CRASH, 30);
    scene
}

fn state(scene: &Scene) -> Value {
    scene.offered()["rollout"]["state"].clone()
}

fn a_guard_pauses_a_plan_once(host: Driver) {
    let scene = failing(host, &json!({ "plan": plan(), "guard": { "on_unhealthy": "pause" } }));
    let before = last(&scene.acme);

    let run = scene.run();

    let why = "30 devices failed in 100 device-days; 10 in 1000 before.";
    let acted = json!({
        "id": scene.next, "app": "notes", "channel": "stable", "version": "2.0.0", "action": "pause", "why": why,
    });
    assert_eq!((&run["acted"], &run["unhealthy"]), (&json!([acted]), &json!(1)));
    assert_eq!(state(&scene), "paused");
    let entry = newest(&scene.acme);
    assert_eq!((&entry["kind"], &entry["actor"]["name"]), (&json!("rollout.pause"), &json!("acme")));
    assert_eq!(entry["reason"], format!("The guard found it unhealthy. {why}"));

    let run = scene.run();
    assert_eq!((&run["acted"], &run["unhealthy"]), (&json!([]), &json!(1)));
    assert_eq!(kinds_after(&scene.acme, before), ["rollout.pause"]);

    // Somebody has seen it, and goes on: a new round begins.
    let _ = scene.roll("resume").expect(200);
    assert_eq!(scene.health().get("at"), None);
    assert_eq!(scene.run()["acted"], json!([]));
    assert_eq!((state(&scene), scene.health()["running"]["k"].clone()), (json!("running"), json!(0)));
}

fn a_guard_halts_what_everybody_gets(host: Driver) {
    let scene = failing(host, &json!({ "guard": { "on_unhealthy": "halt" } }));
    assert_eq!(scene.acme.check("1.0.0")["version"], "2.0.0");

    assert_eq!(scene.run()["acted"][0]["action"], "halt");

    assert_eq!(state(&scene), "halted");
    assert_eq!(scene.acme.check("1.0.0")["version"], "1.0.0");
    assert_eq!(scene.run()["acted"], json!([]));
}

fn muted_failures_do_not_count(host: Driver) {
    let scene = failing(host, &json!({ "plan": plan(), "guard": { "on_unhealthy": "pause" } }));
    scene.mute();

    assert_eq!(scene.run()["acted"], json!([]));

    assert_eq!((state(&scene), scene.health()["running"]["k"].clone()), (json!("running"), json!(0)));
    assert_eq!(scene.health()["causes"], json!([]));
}

fn without_a_guard_people_are_told_once(host: Driver) {
    let scene = failing(host, &json!({ "plan": plan() }));
    let before = last(&scene.acme);

    let run = (scene.run(), scene.run()).1;

    assert_eq!((&run["acted"], &run["unhealthy"]), (&json!([]), &json!(1)));
    assert_eq!(state(&scene), "running");
    assert_eq!(kinds_after(&scene.acme, before), ["health.unhealthy"]);
    assert_eq!(newest(&scene.acme)["reason"], scene.health()["why"]);
    let overview = scene.acme.get("/telemetry/overview").ok();
    let failing = &overview["now"]["failing"][0];
    assert_eq!((&failing["version"], &failing["verdict"]), (&json!("2.0.0"), &json!("unhealthy")));
    assert_eq!(overview["now"]["rollouts"][0]["next"]["percent"], 100);
    assert_eq!(overview["now"]["activity"][0]["kind"], "health.unhealthy");
    let warnings = overview["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning["kind"] == "unhealthy"), "{overview}");
}

fn without_counts_of_devices_a_maximum_decides(host: Driver) {
    let scene = Scene::of(reporting(host).with_variable("telemetry_enabled", "false").start());
    scene.publish(&json!({ "plan": plan(), "guard": { "on_unhealthy": "pause", "max_failing": 20 } }));
    scene.fail("2.0.0", CRASH, 20);
    assert_eq!(scene.run()["acted"], json!([]));
    assert_eq!(scene.health()["why"], "The service does not count devices.");

    let _ = scene.report("2.0.0", CRASH, "another", "device-20").expect(202);
    assert_eq!(scene.run()["acted"][0]["why"], "21 devices failed. The guard allows 20.");
    assert_eq!(state(&scene), "paused");

    let _ = scene.roll("resume").expect(200);
    assert_eq!((scene.run()["acted"].clone(), state(&scene)), (json!([]), json!("running")));
}

fn reports_change_no_answer(host: Driver) {
    const SCOPE: &str =
        "/responses/acme/notes/stable/linux/amd64/scope.json?dimensions=channel,platform,arch";
    const REPORTS: usize = 1000;
    let scene = Scene::of(reporting(host).with_variable("telemetry_enabled", "false").start());
    scene.publish(&json!({ "plan": plan(), "guard": { "on_unhealthy": "pause", "max_failing": 20 } }));
    let releases = |record: Value| (record["releases"].clone(), record["revision"].clone());
    let before =
        (releases(scene.world.get(SCOPE).ok()), last(&scene.acme), scene.acme.check_as("device-1", "1.0.0"));

    scene.fail("2.0.0", CRASH, REPORTS);
    let _ = scene.acme.post("/maintenance/run").send().expect(200);

    let after =
        (releases(scene.world.get(SCOPE).ok()), last(&scene.acme), scene.acme.check_as("device-1", "1.0.0"));
    assert_eq!(before, after);
    assert_eq!(state(&scene), "running");
}

fn a_guard_does_not_undo_what_people_did(host: Driver) {
    let scene = failing(host, &json!({ "plan": plan(), "guard": { "on_unhealthy": "pause" } }));
    for (action, held) in [("pause", "paused"), ("halt", "halted")] {
        let _ = scene.roll(action).expect(200);
        assert_eq!(scene.run()["acted"], json!([]), "{action}");
        assert_eq!(state(&scene), held);
    }
    let _ = scene.offer(json!({ "publish": false })).expect(200);
    let run = scene.run();
    assert_eq!((&run["looked_at"], &run["unhealthy"]), (&json!(1), &json!(0)));
}

/// Each channel has a guard of its own, which looks at the clients of the channel alone.
fn a_guard_stops_a_promotion_alone(host: Driver) {
    let scene = Scene::with_a_week_before(host);
    scene.acme.create_channel("beta");
    let tested = scene.acme.publish(Release::new("3.0.0").with("channel", "beta"));
    let call =
        |call: &str, body: Value| scene.acme.post_json(&format!("/releases/{tested}/{call}"), body).send();
    let guard = json!({ "on_unhealthy": "halt" });
    let _ = call("offer", json!({ "guard": guard })).expect(200);
    let _ = call("promote", json!({ "channel": "stable", "publish": true, "guard": guard })).expect(201);
    scene.see("3.0.0", true, 100, 0);
    scene.fail("3.0.0", CRASH, 30);
    let before = last(&scene.acme);

    let run = scene.run();

    let acted = run["acted"].as_array().unwrap();
    let facts: Vec<_> = acted.iter().map(|one| (&one["version"], &one["channel"], &one["action"])).collect();
    assert_eq!(facts, [(&json!("3.0.0"), &json!("stable"), &json!("halt"))], "{run}");
    assert_eq!(kinds_after(&scene.acme, before), ["rollout.halt"]);
    let offers = scene.acme.get(&format!("/releases/{tested}")).ok()["offers"].clone();
    let states = [0, 1].map(|place: usize| (&offers[place]["rollout"]["state"], &offers[place]["verdict"]));
    assert_eq!(states[1], (&json!("halted"), &json!("unhealthy")));
    assert_eq!(states[0], (&json!("complete"), &json!("unknown")), "nobody of beta has failed");
    let health = |channel: &str| {
        scene.acme.get(&format!("/releases/{tested}/health?channel={channel}")).ok()["running"]["k"].clone()
    };
    assert_eq!((health("beta"), health("stable")), (json!(0), json!(30)));
}
