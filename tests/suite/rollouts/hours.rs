//! Plans whose steps begin in working hours.

use serde_json::{Value, json};
use spindrift_core::Timestamp;
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::{HOUR, Scene, steps};

on_hosts! {
    every: [hours_that_mean_nothing_are_refused],
    in_process: [
        a_step_waits_for_the_hours,
        orders_do_not_wait_for_the_hours,
        an_upload_brings_the_hours_of_its_plan,
    ],
}

const DAY: i64 = 24 * HOUR;

fn in_hours(plan: &str, days: &str) -> Value {
    let begin = json!({ "days": days, "from": "09:00", "to": "16:00", "offset": "+01:00" });
    json!({ "steps": steps(plan), "begin": begin })
}

/// A Thursday after the present time, at an hour in the time zone of the plans.
fn thursday(hour: i64) -> Timestamp {
    let now = jiff::Timestamp::now().as_second();
    // 1970-01-01 was a Thursday.
    let midnight = (now.div_euclid(7 * DAY) + 1) * 7 * DAY;
    Timestamp::from_millis(0).plus_seconds(midnight + (hour - 1) * HOUR)
}

/// A scene at a time.
fn at(host: Driver, time: Timestamp) -> Scene {
    let scene = Scene::new(World::new(host));
    scene.world.platform().set_time(time);
    let acme = scene.world.login("acme", spindrift_tests::PASSWORD);
    Scene { acme, ..scene }
}

fn a_step_waits_for_the_hours(host: Driver) {
    let scene = at(host, thursday(14));
    let plan = in_hours("10:1h,28:1h,100", "Mon-Thu");
    let started = scene.ordered(json!({ "action": "start", "plan": plan }));
    assert_eq!((&started["percent"], &started["plan"]), (&json!(10), &plan));
    // 28 % begins at 15:00. An hour later the hours are over, until Monday.
    let monday = thursday(9).plus_seconds(4 * DAY);
    assert_eq!(started["next"], json!({ "percent": 28, "at": thursday(15).to_rfc3339() }));
    assert_eq!(started["later"], json!([{ "percent": 100, "at": monday.to_rfc3339() }]));
    let versions = |time: Timestamp| {
        scene.world.platform().set_time(time);
        [scene.version_for("device-2"), scene.version_for("device-1")]
    };
    assert_eq!(versions(thursday(15).plus_seconds(-1)), ["1.0.0", "1.0.0"]);
    assert_eq!(versions(thursday(15)), ["2.0.0", "1.0.0"]);
    assert_eq!(versions(thursday(18)), ["2.0.0", "1.0.0"]);
    assert_eq!(versions(monday.plus_seconds(-1)), ["2.0.0", "1.0.0"]);
    assert_eq!(versions(monday), ["2.0.0", "2.0.0"]);
}

fn orders_do_not_wait_for_the_hours(host: Driver) {
    let scene = at(host, thursday(20));
    let start = json!({ "action": "start", "plan": in_hours("1:1d,28:1d,50:1d,100", "Mon-Thu") });
    let started = scene.ordered(start);
    let monday = |hour| json!(thursday(hour).plus_seconds(4 * DAY).to_rfc3339());
    assert_eq!((&started["percent"], &started["next"]["at"]), (&json!(1), &monday(9)));
    let advanced = scene.ordered(json!({ "action": "advance" }));
    assert_eq!((&advanced["percent"], scene.version_for("device-2")), (&json!(28), "2.0.0".into()));
    assert_eq!(advanced["next"]["at"], monday(9));
    let _ = scene.ordered(json!({ "action": "pause" }));
    scene.world.platform().set_time(thursday(12).plus_seconds(4 * DAY));
    let acme = scene.world.login("acme", spindrift_tests::PASSWORD);
    let scene = Scene { acme, ..scene };
    let resumed = scene.ordered(json!({ "action": "resume" }));
    // The pause began with the step, so all of its day is left.
    let tuesday = json!(thursday(12).plus_seconds(5 * DAY).to_rfc3339());
    assert_eq!((&resumed["percent"], &resumed["next"]["at"]), (&json!(28), &tuesday));
}

fn an_upload_brings_the_hours_of_its_plan(host: Driver) {
    let scene = Scene::new(World::new(host));
    let plan = in_hours("1:1h,100", "Mon,Wed-Fri");
    let id = scene.acme.publish(Release::new("3.0.0").without("rollout").with("plan", plan.clone()));
    let rollout = super::rollout(&scene.acme.get(&format!("/releases/{id}")).ok());
    assert_eq!((&rollout["percent"], &rollout["plan"]), (&json!(1), &plan));
}

fn hours_that_mean_nothing_are_refused(host: Driver) {
    let scene = Scene::new(World::new(host));
    let hours = |key: &str, value: Value| {
        let mut plan = in_hours("1:1h,100", "Mon-Thu");
        plan["begin"][key] = value;
        plan
    };
    for (plan, error) in [
        (hours("days", json!("Mo-Do")), "days are like Mon-Thu or Mon,Wed,Fri"),
        (hours("to", json!("09:00")), "from is before to"),
        (hours("from", json!("9")), "from and to are times from 00:00 to 24:00"),
        (hours("offset", json!("Europe/Berlin")), "the offset is from UTC and like +01:00, up to 14:00"),
        (hours("zone", json!("UTC")), "it has the keys days, from, to and offset"),
    ] {
        let refused = scene.order(json!({ "action": "start", "plan": plan }));
        assert_eq!(refused.refusal(), (400, format!("invalid plan: begin: {error}")));
    }
}
