//! Calls about guards: who may make them, and what they accept.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, on_hosts};

use super::{CRASH, Scene, guard_run, reporting};
use crate::audit::{kinds_after, last, newest};
use crate::reports::team_user;

on_hosts! {
    every: [
        guards_are_set_and_taken_away,
        guards_that_cannot_be_read_are_refused,
        only_those_who_may_run_the_guard,
        a_run_looks_at_the_applications_of_its_caller,
        only_one_run_at_a_time,
    ],
    in_process: [a_guard_that_nobody_runs_is_a_warning],
}

const TOKEN: &str = "a-token-for-maintenance";
const GUARD: &str = r#"{"on_unhealthy":"halt","alpha":0.05,"factor":2,"min_failing":3,"max_failing":20}"#;

fn guard() -> Value {
    serde_json::from_str(GUARD).unwrap()
}

fn guards_are_set_and_taken_away(host: Driver) {
    let scene = Scene::new(host);
    let acme = &scene.acme;
    let uploaded = acme.upload(&Release::new("3.0.0").with("guard", json!({ "on_unhealthy": "pause" })));
    let of = |id: &str| acme.get(&format!("/releases/{id}")).ok()["offers"][0]["guard"].clone();
    let defaults = json!({ "on_unhealthy": "pause", "alpha": 0.01, "factor": 1.25, "min_failing": 5 });
    assert_eq!(of(&uploaded), defaults);

    let before = last(acme);
    let _ = scene.offer(json!({ "guard": guard(), "reason": "first large release" })).expect(200);
    assert_eq!(of(&scene.next), guard());
    let entry = newest(acme);
    assert_eq!((&entry["kind"], &entry["after"]["guard"]), (&json!("guard.set"), &guard()));
    assert_eq!(entry["reason"], "first large release");
    let _ = scene.offer(json!({ "guard": null })).expect(200);
    assert_eq!(of(&scene.next), Value::Null);
    let _ = acme.edit(&scene.next, json!({ "guard": guard() })).expect(200);
    assert_eq!(of(&scene.next), guard());
    let _ = scene
        .offer(json!({ "publish": true, "rollout": 5, "guard": { "on_unhealthy": "pause" } }))
        .expect(200);
    assert_eq!(of(&scene.next), defaults);
    let kinds = kinds_after(acme, before);
    assert_eq!(kinds, ["guard.set", "guard.set", "release.update", "release.publish"]);
}

fn guards_that_cannot_be_read_are_refused(host: Driver) {
    let scene = Scene::new(host);
    for (guard, key) in [
        (json!({ "on_unhealthy": "stop" }), "on_unhealthy"),
        (json!({ "on_unhealthy": "pause", "alpha": 0.5 }), "alpha"),
        (json!({ "on_unhealthy": "pause", "min_failing": 2 }), "min_failing"),
        (
            json!({ "on_unhealthy": "pause", "colour": "red" }),
            "colour: no such key, only on_unhealthy, alpha, factor, min_failing, max_per_1000, max_failing",
        ),
    ] {
        let refused = (400, format!("invalid guard: {key}"));
        assert_eq!(scene.offer(json!({ "guard": guard })).refusal(), refused);
        assert_eq!(scene.acme.edit(&scene.next, json!({ "guard": guard })).refusal(), refused);
        assert_eq!(scene.acme.init(&Release::new("4.0.0").with("guard", guard)).refusal(), refused);
    }
    assert_eq!(scene.offered().get("guard"), None);
}

fn ci(scene: &Scene, may: &[&str]) -> Account {
    let order = json!({ "name": may.join("-"), "allowed_apps": [scene.app], "may": may });
    let token = scene.acme.post_json("/token/create", order).send().expect(201).json();
    scene.acme.with_credential(token["token"].as_str().unwrap())
}

fn only_those_who_may_run_the_guard(host: Driver) {
    let scene = Scene::of(reporting(host).with_variable("maintenance_token", TOKEN).start());
    scene.publish(&json!({}));
    let everything = json!({ "Edit": true, "Upload": true, "Allowed": [scene.app] });
    let member = team_user(&scene.world, &scene.acme, "ann", everything);

    let _ = guard_run(&member).expect(403);
    let _ = guard_run(&ci(&scene, &["upload", "publish", "stop", "roll"])).expect(403);
    let only_run = ci(&scene, &["guard"]);
    assert_eq!(guard_run(&only_run).expect(200).json()["looked_at"], 2);
    assert_eq!(guard_run(&scene.acme).expect(200).json()["looked_at"], 2);
    let operator = scene.acme.with_credential(TOKEN);
    assert_eq!(guard_run(&operator).expect(200).json()["looked_at"], 2);
    // A token that may only run the guard sets none.
    let order = json!({ "guard": { "on_unhealthy": "pause" } });
    let _ = only_run.post_json(&format!("/releases/{}/offer", scene.next), order.clone()).send().expect(403);
    let _ =
        ci(&scene, &["roll"]).post_json(&format!("/releases/{}/offer", scene.next), order).send().expect(200);
}

fn a_run_looks_at_the_applications_of_its_caller(host: Driver) {
    let scene = Scene::of(reporting(host).with_variable("maintenance_token", TOKEN).start());
    scene.publish(&json!({ "guard": { "on_unhealthy": "halt", "max_failing": 3 } }));
    scene.fail("2.0.0", CRASH, 4);
    let other = scene.world.admin("other").with_notes();
    other.publish(Release::new("1.0.0"));

    assert_eq!(guard_run(&other).expect(200).json()["looked_at"], 1);
    let _ = other.get(&format!("/releases/{}/health", scene.next)).send().expect(404);
    assert_eq!(scene.offered()["rollout"]["state"], "complete");

    let run = guard_run(&scene.acme.with_credential(TOKEN)).expect(200).json();
    assert_eq!((&run["looked_at"], &run["acted"][0]["id"]), (&json!(3), &json!(scene.next)));
    let actor = newest(&scene.acme)["actor"].clone();
    assert_eq!(actor["type"], "maintenance");
}

fn only_one_run_at_a_time(host: Driver) {
    let scene = Scene::new(host);
    let lease = |expires_at: &str| {
        let sql = format!(
            "INSERT OR REPLACE INTO leases (name, holder, expires_at) \
             SELECT 'guard.' || id, 'another', {expires_at} FROM users WHERE username = 'acme'"
        );
        scene.world.database().execute(&sql, []).unwrap();
    };
    lease("99999999999999");
    let answer = guard_run(&scene.acme).expect(409);
    assert_eq!((answer.error(), answer.code()), ("a guard run is under way".to_owned(), "busy".to_owned()));
    // The process that ran it is gone.
    lease("1");
    let _ = guard_run(&scene.acme).expect(200);
    let _ = guard_run(&scene.acme).expect(200);
}

fn a_guard_that_nobody_runs_is_a_warning(host: Driver) {
    let scene = Scene::new(host);
    scene.publish(&json!({ "guard": { "on_unhealthy": "pause" } }));
    let warnings = || {
        let overview = scene.acme.get("/telemetry/overview").ok();
        let kinds = overview["warnings"].as_array().unwrap().iter().map(|warning| warning["kind"].clone());
        kinds.filter(|kind| kind == "guard_not_run").count()
    };
    scene.world.advance(3599);
    assert_eq!(warnings(), 0);
    scene.world.advance(3600);
    assert_eq!(warnings(), 1);
    scene.run();
    assert_eq!(warnings(), 0);
}
