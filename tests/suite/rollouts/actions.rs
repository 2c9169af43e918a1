//! Orders: who may give them, in which state, and what remains of them.

use serde_json::{Value, json};
use spindrift_tests::{Driver, PASSWORD, World, on_hosts};

use super::{HOUR, Scene, age_rollouts, pass_time, steps};
use crate::audit::{kinds_after, last, newest};
use crate::static_answers::with_cdn;

on_hosts! {
    every: [
        orders_that_mean_nothing_are_refused,
        orders_that_cannot_be_read_are_refused,
        only_those_who_may_edit_give_orders,
        every_order_is_an_entry,
        a_step_that_has_begun_is_settled_once,
        a_release_is_found_by_its_version,
        lists_show_the_state,
    ],
}

fn orders_that_mean_nothing_are_refused(host: Driver) {
    let scene = Scene::new(World::new(host));
    let refused = |order: Value, text: &str| {
        let answer = scene.order(order).expect(409);
        assert_eq!((answer.error(), answer.code()), (text.to_owned(), "wrong_state".to_owned()));
    };
    let only = |action: &str| json!({ "action": action });
    for action in ["pause", "resume", "advance"] {
        refused(only(action), "the rollout is fixed");
    }
    let _ = scene.ordered(json!({ "action": "set", "percent": 20 }));
    refused(json!({ "action": "start", "plan": steps("5:1h,100") }), "below the present percentage: 20");
    scene.start("20:1h,100");
    refused(only("resume"), "the rollout is running");
    let _ = scene.ordered(only("halt"));
    for action in ["pause", "advance", "complete"] {
        refused(only(action), "the rollout is halted");
    }
    assert_eq!(scene.ordered(json!({ "action": "start", "plan": steps("5:1h,100") }))["state"], "halted");
    let _ = scene.ordered(only("resume"));
    let _ = scene.ordered(only("complete"));
    for action in ["pause", "resume", "advance"] {
        refused(only(action), "the rollout is complete");
    }
}

fn orders_that_cannot_be_read_are_refused(host: Driver) {
    let scene = Scene::new(World::new(host));
    for (order, status, error) in [
        (json!({ "action": "set" }), 400, "missing percent"),
        (json!({ "action": "set", "percent": 0.005 }), 400, "invalid rollout"),
        (json!({ "action": "set", "percent": 100.01 }), 400, "invalid rollout"),
        (json!({ "action": "set", "percent": "5" }), 400, "invalid rollout"),
        (json!({ "action": "start" }), 400, "missing plan"),
        (json!({ "action": "start", "plan": [] }), 400, "invalid plan: it has 1 to 50 steps"),
        (
            json!({ "action": "start", "plan": steps("5,20") }),
            400,
            "invalid plan: step 2: the last step is 100 percent",
        ),
        (json!({ "action": "halt", "channel": "beta" }), 404, "offer not found"),
        (
            json!({ "action": "halt", "reason": "x".repeat(501) }),
            400,
            "invalid reason: at most 500 characters",
        ),
    ] {
        assert_eq!(scene.order(order.clone()).refusal(), (status, error.to_owned()), "{order}");
    }
    assert_eq!(scene.order(json!({ "action": "stop" })).status, 400);
    let _ = scene.ordered(json!({ "action": "halt", "channel": "stable" }));
}

fn only_those_who_may_edit_give_orders(host: Driver) {
    let scene = Scene::new(World::new(host));
    let notes = scene.acme.app_id("notes");
    let lists = |kind: &str| {
        let listed: Vec<Value> = scene.acme.get(&format!("/{kind}/list")).ok()[format!("{kind}s")]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["ID"].clone())
            .collect();
        json!({ "Allowed": listed })
    };
    for (name, edit) in [("reader", false), ("editor", true)] {
        let permissions = json!({
            "Apps": { "Edit": edit, "Allowed": [notes] },
            "Channels": lists("channel"), "Platforms": lists("platform"), "Archs": lists("arch"),
        });
        let user = json!({ "username": name, "password": PASSWORD, "permissions": permissions });
        let _ = scene.acme.post_json("/user/create", user).send().expect(200);
    }
    let path = format!("/releases/{}", scene.staged);
    let [reader, editor] = ["reader", "editor"].map(|name| scene.world.login(name, PASSWORD));
    let stranger = scene.world.admin("stranger");
    let ci = scene.acme.ci_token(&[&notes]);
    let halt = json!({ "action": "halt" });
    for (caller, sees, orders) in
        [(&reader, 200, 403), (&stranger, 404, 404), (&ci, 200, 403), (&editor, 200, 200)]
    {
        assert_eq!(caller.get(&path).send().status, sees, "{}", caller.name());
        let status = caller.post_json(&format!("{path}/rollout"), &halt).send().status;
        assert_eq!(status, orders, "{}", caller.name());
    }
    assert_eq!(scene.world.get(&path).send().status, 401);
    assert_eq!(scene.acme.get("/releases/nothing").send().refusal(), (404, "release not found".to_owned()));
}

fn every_order_is_an_entry(host: Driver) {
    let scene = Scene::new(World::new(host));
    let before = last(&scene.acme);
    scene.start("10:1h,100");
    for action in ["pause", "resume", "advance", "halt"] {
        let _ = scene.ordered(json!({ "action": action, "reason": "it crashes" }));
    }
    let halted = newest(&scene.acme);
    assert_eq!(
        (&halted["before"], &halted["after"]),
        (&json!({ "state": "complete" }), &json!({ "state": "halted" }))
    );
    assert_eq!(halted["reason"], "it crashes");
    let text = "acme halted the rollout of notes 2.0.0 in stable: state from complete to halted (it crashes)";
    assert_eq!(halted["text"], text);
    for order in [
        json!({ "action": "resume" }),
        json!({ "action": "set", "percent": 0.1 }),
        json!({ "action": "complete" }),
    ] {
        let _ = scene.ordered(order);
    }
    assert_eq!(scene.order(json!({ "action": "pause" })).status, 409, "no entry");
    let kinds = ["start", "pause", "resume", "advance", "halt", "resume", "set", "complete"];
    assert_eq!(kinds_after(&scene.acme, before), kinds.map(|kind| format!("rollout.{kind}")));
}

fn a_step_that_has_begun_is_settled_once(host: Driver) {
    let world = World::new(host);
    let acme = with_cdn(world.admin("acme"));
    let scene = Scene::of(world, acme);
    scene.start("10:1h,28:1h,100");
    let in_bucket = || {
        let object = scene
            .world
            .store()
            .object(spindrift_tests::CDN_BUCKET, "responses/acme/notes/stable/linux/amd64/1.0.0.json");
        serde_json::from_slice::<Value>(&object.unwrap()).unwrap()["rollout"].clone()
    };
    let of_row = || {
        let sql = "SELECT rollout_bp, next_at IS NULL FROM releases WHERE version = '2.0.0'";
        scene.world.database().query_row(sql, [], |row| row.try_into()).unwrap()
    };
    assert_eq!(in_bucket()["percent"], 10);
    age_rollouts(&scene.world, 90 * 60);
    assert_eq!(
        (in_bucket()["percent"].clone(), of_row()),
        (json!(10), (1_000_i64, false)),
        "not settled yet"
    );
    assert_eq!(scene.acme.check("1.0.0")["rollout"]["percent"], 28, "but answered");
    let before = last(&scene.acme);
    // Another change in between does not hide the step.
    let _ = scene.acme.edit(&scene.staged, json!({ "critical": true })).expect(200);
    for _ in 0..2 {
        let _ = scene.acme.post("/maintenance/run").send().expect(200);
    }
    assert_eq!((in_bucket()["percent"].clone(), of_row()), (json!(28), (2_800, false)));
    assert_eq!(kinds_after(&scene.acme, before), ["release.update", "rollout.step"]);
    let entry = newest(&scene.acme);
    assert_eq!(entry["actor"], json!({ "type": "clock" }));
    let text = "the clock began the next step of the rollout of notes 2.0.0 in stable: rollout from 10 to 28";
    assert_eq!(entry["text"], text);
    age_rollouts(&scene.world, HOUR);
    let _ = scene.acme.post("/maintenance/run").send().expect(200);
    assert_eq!((in_bucket(), of_row()), (Value::Null, (10_000, true)));
    assert_eq!(scene.rollout()["state"], "complete");
}

fn a_release_is_found_by_its_version(host: Driver) {
    let scene = Scene::new(World::new(host));
    let found = scene.acme.get("/releases?app=notes&version=v2.0").ok();
    assert_eq!(
        (&found["id"], &found["app"], &found["version"]),
        (&json!(scene.staged), &json!("notes"), &json!("2.0.0"))
    );
    assert_eq!(found["offers"][0]["channel"], "stable");
    assert_eq!(found["offers"][0]["own"], true);
    for (query, status) in [
        ("app=notes&version=9.9", 404),
        ("app=nothing&version=2.0", 404),
        ("app=notes", 400),
        ("version=2.0", 400),
    ] {
        assert_eq!(scene.acme.get(&format!("/releases?{query}")).send().status, status, "{query}");
    }
}

fn lists_show_the_state(host: Driver) {
    let scene = Scene::new(World::new(host));
    let shown = || {
        let release = scene.acme.release("2.0.0");
        (release.rollout_percent, release.basis_points, release.rollout_state)
    };
    assert_eq!(shown(), (0, 0, "fixed".to_owned()));
    scene.start("0.1:1h,28:1h,100");
    assert_eq!(shown(), (0, 10, "running".to_owned()));
    pass_time(&scene.world, HOUR);
    assert_eq!(shown(), (28, 2_800, "running".to_owned()));
    let _ = scene.ordered(json!({ "action": "halt" }));
    assert_eq!(shown(), (28, 2_800, "halted".to_owned()));
    assert_eq!(scene.acme.release("1.0.0").rollout_state, "complete");
}
