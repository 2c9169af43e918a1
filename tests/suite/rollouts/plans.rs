//! Plans: rollouts that grow by themselves.

use std::time::{Duration, Instant};

use serde_json::json;
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::{HOUR, MINUTE, Scene, age_rollouts, fix_seeds, pass_time, steps, until_read_again};

on_hosts! {
    every: [
        a_plan_grows_with_no_call_between,
        a_step_begins_on_time,
        a_pause_keeps_the_rest_of_the_step,
        a_halt_lasts_until_it_is_resumed,
        a_step_without_an_end_waits,
        a_plan_waits_for_a_draft_to_be_published,
        an_upload_brings_the_plan_of_a_new_release,
        a_percentage_by_the_form_of_before_ends_a_plan,
        a_plan_is_started_by_an_edit_too,
        the_newest_builds_follow_a_plan,
    ],
}

const PLAN: &str = "0.1:1h,28:1h,100";

fn a_plan_is_started_by_an_edit_too(host: Driver) {
    let scene = Scene::new(World::new(host));
    let edit = |change| scene.acme.edit(&scene.staged, change);
    let _ = edit(json!({ "plan": steps("10:1h,100"), "critical": true })).expect(200);
    let rollout = scene.rollout();
    assert_eq!((&rollout["state"], &rollout["percent"]), (&json!("running"), &json!(10)));
    assert_eq!(
        edit(json!({ "plan": steps(PLAN) })).refusal(),
        (409, "below the present percentage: 10".to_owned())
    );
    assert_eq!(
        edit(json!({ "plan": steps("20,100"), "rollout": 5 })).refusal(),
        (400, "plan and rollout exclude each other".to_owned())
    );
    assert_eq!(scene.rollout()["plan"], steps("10:1h,100"));
}

fn a_plan_grows_with_no_call_between(host: Driver) {
    let scene = Scene::new(World::new(host));
    let started = scene.start(PLAN);
    assert_eq!((&started["state"], &started["percent"]), (&json!("running"), &json!(0)));
    assert_eq!((&started["basis_points"], &started["step"]), (&json!(10), &json!(0)));
    assert_eq!((&started["plan"], &started["next"]["percent"]), (&steps(PLAN), &json!(28)));

    pass_time(&scene.world, 10 * MINUTE);
    let anybody = scene.acme.check("0.9");
    assert_eq!(anybody["version"], "2.0.0");
    assert_eq!(anybody["rollout"], json!({ "percent": 0, "basis_points": 10, "seed": "seed" }));
    assert_eq!(anybody["fallback"]["version"], "1.0.0");
    pass_time(&scene.world, 49 * MINUTE);
    assert_eq!(
        (scene.version_for("device-2"), scene.version_for("device-1")),
        ("1.0.0".into(), "1.0.0".into())
    );
    pass_time(&scene.world, MINUTE);
    assert_eq!(
        (scene.version_for("device-2"), scene.version_for("device-1")),
        ("2.0.0".into(), "1.0.0".into())
    );
    assert_eq!(scene.acme.check("1.0.0")["rollout"], json!({ "percent": 28, "seed": "seed" }));
    pass_time(&scene.world, HOUR);
    assert_eq!(
        (scene.version_for("device-2"), scene.version_for("device-1")),
        ("2.0.0".into(), "2.0.0".into())
    );
    assert_eq!(scene.acme.check("1.0.0").get("rollout"), None);
    let complete = scene.rollout();
    assert_eq!(
        (&complete["state"], &complete["percent"], complete.get("next")),
        (&json!("complete"), &json!(100), None)
    );
}

/// Records and answers that are kept or remembered do not delay it.
fn a_step_begins_on_time(host: Driver) {
    const WAIT: Duration = Duration::from_secs(4);
    let scene = Scene::new(World::new(host));
    scene.start("1:5m,100");
    let path = scene.acme.check_path("1.0.0");
    pass_time(&scene.world, 5 * MINUTE - i64::try_from(WAIT.as_secs()).unwrap());
    let begun = Instant::now();
    let client = scene.world.client().keeping_connections();
    let mut asked = 0;
    let steps = loop {
        let device = client.get(&path).header("x-device-id", "device-1").send().expect(200);
        let anybody = client.get(&path).send().expect(200);
        let kept = anybody.header("cache-control").to_owned();
        let is_full = anybody.json().get("rollout").is_none();
        asked += 1;
        let seconds: u32 = kept.split(['=', ',']).nth(2).unwrap().parse().unwrap();
        let beyond = if is_full { 60..=60 } else { 1..=4 };
        assert!(beyond.contains(&seconds), "no cache may keep the answer beyond the step: {kept}");
        if device.json()["version"] == "2.0.0" && is_full {
            break begun.elapsed();
        }
        assert!(begun.elapsed() < 4 * WAIT, "the step has not begun after {asked} requests");
    };
    println!("the step of {WAIT:?} had begun after {steps:?}, {asked} requests");
    // The time that passed before this one began to count is a part of it.
    assert!(steps > WAIT / 4, "{steps:?}");
    assert!(steps < WAIT + Duration::from_secs(1), "{steps:?}");
}

fn a_pause_keeps_the_rest_of_the_step(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.start(PLAN);
    pass_time(&scene.world, 30 * MINUTE);
    let paused = scene.ordered(json!({ "action": "pause" }));
    assert_eq!(
        (&paused["state"], &paused["basis_points"], paused.get("next")),
        (&json!("paused"), &json!(10), None)
    );
    pass_time(&scene.world, 5 * HOUR);
    assert_eq!(scene.version_for("device-2"), "1.0.0");
    let resumed = scene.ordered(json!({ "action": "resume" }));
    assert_eq!(resumed["state"], "running");
    pass_time(&scene.world, 29 * MINUTE);
    assert_eq!(scene.version_for("device-2"), "1.0.0");
    pass_time(&scene.world, MINUTE);
    assert_eq!(scene.version_for("device-2"), "2.0.0");
}

fn a_halt_lasts_until_it_is_resumed(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.start(PLAN);
    pass_time(&scene.world, 90 * MINUTE);
    assert_eq!(scene.version_for("device-2"), "2.0.0");
    let halted = scene.ordered(json!({ "action": "halt", "reason": "it crashes" }));
    assert_eq!((&halted["state"], &halted["percent"]), (&json!("halted"), &json!(28)));
    let nothing_more = || {
        assert_eq!(scene.version_for("device-2"), "1.0.0");
        let has_it = scene.acme.check_as("device-2", "2.0.0");
        assert_eq!((&has_it["update_available"], has_it.get("possible_rollback")), (&json!(false), None));
        let anybody = scene.acme.check("1.0.0");
        assert_eq!((&anybody["version"], &anybody["update_available"]), (&json!("1.0.0"), &json!(false)));
        assert_eq!(scene.latest(), "1.0.0");
    };
    nothing_more();
    pass_time(&scene.world, 9 * HOUR);
    nothing_more();
    let set = scene.ordered(json!({ "action": "set", "percent": 50 }));
    assert_eq!((&set["state"], &set["percent"]), (&json!("halted"), &json!(50)));
    nothing_more();
    let resumed = scene.ordered(json!({ "action": "resume" }));
    assert_eq!((&resumed["state"], &resumed["percent"]), (&json!("fixed"), &json!(50)));
    assert_eq!(
        (scene.version_for("device-2"), scene.version_for("device-1")),
        ("2.0.0".into(), "1.0.0".into())
    );

    // It works where everybody has it, too.
    let _ = scene.ordered(json!({ "action": "complete" }));
    assert_eq!((scene.version_for("device-1"), scene.latest()), ("2.0.0".into(), "2.0.0".into()));
    let _ = scene.ordered(json!({ "action": "halt" }));
    assert_eq!((scene.version_for("device-1"), scene.latest()), ("1.0.0".into(), "1.0.0".into()));
}

fn a_step_without_an_end_waits(host: Driver) {
    let scene = Scene::new(World::new(host));
    let started = scene.start("10,50:1h,100");
    let revision =
        scene.acme.get(&format!("/releases/{}", scene.staged)).ok()["offers"][0]["revision"].clone();
    assert_eq!((&started["step"], started.get("next")), (&json!(0), None));
    let advance = json!({ "action": "advance", "if_revision": revision });
    assert_eq!(super::rollout(&scene.order(advance.clone()).expect(200).json())["percent"], 50);
    let late = scene.order(advance).expect(409);
    assert_eq!(late.code(), "release_changed");
    assert_eq!(scene.rollout()["step"], 1, "one step for two people");
    // A stop is never held up.
    let pause = json!({ "action": "pause", "if_revision": revision });
    assert_eq!(scene.ordered(pause)["state"], "paused");
    scene.start("50,60,100");
    pass_time(&scene.world, 365 * 24 * HOUR);
    assert_eq!(scene.version_for("device-1"), "1.0.0");
}

fn a_plan_waits_for_a_draft_to_be_published(host: Driver) {
    let scene = Scene::new(World::new(host));
    let draft = scene.acme.upload(&Release::new("3.0.0"));
    fix_seeds(&scene.world);
    let order = |order| scene.acme.post_json(&format!("/releases/{draft}/rollout"), order).send();
    let started = order(json!({ "action": "start", "plan": steps("1:1h,100") })).expect(200).json();
    let offer = &started["offers"][0];
    assert_eq!((&offer["state"], offer.get("offered_at")), (&json!("draft"), None));
    assert_eq!((&offer["rollout"]["state"], offer["rollout"].get("next")), (&json!("running"), None));
    assert_eq!(order(json!({ "action": "halt" })).expect(409).error(), "the release is not published");
    pass_time(&scene.world, 5 * HOUR);
    let _ = scene.acme.edit(&draft, json!({ "publish": true })).expect(200);
    let published = scene.acme.get(&format!("/releases/{draft}")).ok();
    assert!(published["offers"][0]["offered_at"].is_string());
    assert_eq!(published["offers"][0]["rollout"]["percent"], 1);
    assert_eq!(published["offers"][0]["rollout"]["next"]["percent"], 100);
    assert_eq!(scene.version_for("device-1"), "1.0.0");
    pass_time(&scene.world, HOUR);
    assert_eq!(scene.version_for("device-1"), "3.0.0");
}

fn an_upload_brings_the_plan_of_a_new_release(host: Driver) {
    let scene = Scene::new(World::new(host));
    let ci = scene.acme.ci_token(&[&scene.acme.app_id("notes")]);
    let planned = |version: &str| Release::new(version).without("rollout").with("plan", steps("1:1h,100"));
    let published = ci.publish(planned("3.0.0"));
    let rollout = super::rollout(&scene.acme.get(&format!("/releases/{published}")).ok());
    assert_eq!((&rollout["percent"], &rollout["next"]["percent"]), (&json!(1), &json!(100)));
    age_rollouts(&scene.world, HOUR);
    assert_eq!(scene.version_for("device-1"), "3.0.0");

    let draft = ci.upload(&planned("4.0.0"));
    fix_seeds(&scene.world);
    age_rollouts(&scene.world, HOUR);
    let _ = scene.acme.edit(&draft, json!({ "publish": true })).expect(200);
    assert_eq!(scene.version_for("device-1"), "3.0.0", "it begins now");
    for (plan, error) in [
        (steps("5,20"), "invalid plan: step 2: the last step is 100 percent"),
        (json!("1:1h,100"), "invalid plan: it has 1 to 50 steps"),
    ] {
        let refused = ci.init(&Release::new("5.0.0").without("rollout").with("plan", plan));
        assert_eq!(refused.refusal(), (400, error.to_owned()));
    }
    let both = ci.init(&planned("5.0.0").rollout(5));
    assert_eq!(both.refusal(), (400, "plan and rollout exclude each other".to_owned()));
}

fn a_percentage_by_the_form_of_before_ends_a_plan(host: Driver) {
    let scene = Scene::new(World::new(host));
    scene.start(PLAN);
    let _ = scene.acme.edit(&scene.staged, json!({ "rollout": 0.5, "critical": true })).expect(200);
    let set = scene.rollout();
    assert_eq!((&set["state"], &set["basis_points"], set.get("plan")), (&json!("fixed"), &json!(50), None));
    let _ = scene.acme.edit(&scene.staged, json!({ "rollout": 30 })).expect(200);
    assert_eq!(scene.version_for("device-2"), "2.0.0");
    for bad in [json!(100.01), json!(0.005), json!("5"), json!(-1)] {
        let _ = scene.acme.edit(&scene.staged, json!({ "rollout": bad })).expect(400);
    }
    // Other changes leave a plan alone.
    scene.start("30:1h,100");
    let _ = scene.acme.edit(&scene.staged, json!({ "changelog": "New" })).expect(200);
    assert_eq!(scene.rollout()["state"], "running");
}

fn the_newest_builds_follow_a_plan(host: Driver) {
    let scene = Scene::new(World::new(host));
    assert_eq!(scene.latest(), "1.0.0");
    scene.start(PLAN);
    assert_eq!(scene.latest(), "1.0.0");
    pass_time(&scene.world, HOUR);
    assert_eq!(scene.latest(), "1.0.0");
    pass_time(&scene.world, HOUR);
    // The record of the newest builds is another one than that of checks.
    until_read_again(&scene.world, || scene.latest() == "2.0.0");
}
