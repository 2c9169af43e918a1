//! Calls that change nothing.

use serde_json::{Value, json};
use spindrift_tests::{Driver, World, on_hosts};

use super::Scene;
use crate::audit::last;

on_hosts! {
    every: [orders_that_change_nothing_leave_no_trace, an_edit_that_changes_nothing_leaves_no_trace],
}

/// Everything that a change raises: the release's revision, the owner's, the place of the last entry, from
/// which webhooks send, and the time of the release's last change.
fn traces(scene: &Scene) -> (i64, i64, u64, i64) {
    let revision = scene.offer()["revision"].as_i64().unwrap();
    let number = |sql: &str, value: &str| -> i64 {
        let (number,) = scene.world.database().query_row(sql, [value], |row| row.try_into()).unwrap();
        number
    };
    let owner = number("SELECT revision FROM users WHERE username = ?1", "acme");
    let updated = number("SELECT updated_at FROM releases WHERE id = ?1", &scene.draft);
    (revision, owner, last(&scene.acme), updated)
}

fn orders_that_change_nothing_leave_no_trace(host: Driver) {
    let scene = Scene::new(World::new(host));
    let _ =
        scene.acme.post_json("/device-groups", json!({ "app": "notes", "name": "qa" })).send().expect(201);
    let guard = || json!({ "on_unhealthy": "pause" });
    let requires = || json!({ "os_version": { "min": "12" } });
    for (call, order) in [
        ("offer", json!({ "publish": false })),
        ("offer", json!({ "rollout": 20 })),
        ("offer", json!({ "groups": ["qa"] })),
        ("offer", json!({ "guard": guard() })),
        ("offer", json!({ "publish": true })),
        ("offer", json!({ "publish": true, "guard": guard(), "groups": ["qa"] })),
        ("rollout", json!({ "action": "set", "percent": 50 })),
        ("rollout", json!({ "action": "halt" })),
        ("rollout", json!({ "action": "set", "percent": 70 })),
        ("requires", json!({ "requires": requires() })),
        ("requires", json!({ "platform": "linux", "requires": requires() })),
        ("requires", json!({ "requires": {} })),
        ("withdraw", json!({ "reason": "it deletes files" })),
    ] {
        let first = scene.post(call, order.clone()).expect(200);
        let before = traces(&scene);
        let mut again = order.clone();
        if call != "withdraw" {
            again["reason"] = json!("twice");
            again["if_revision"] = json!(before.0);
        }
        for _ in 0..2 {
            let second = scene.post(call, again.clone()).expect(200);
            assert_eq!(second.json(), first.json(), "{call} {order}");
            assert_eq!(traces(&scene), before, "{call} {order}");
        }
    }
    let before = last(&scene.acme);
    let _ = scene.post("withdraw", json!({ "reason": "it deletes more files" })).expect(200);
    assert_eq!(last(&scene.acme), before + 1, "another reason is a change");
}

fn an_edit_that_changes_nothing_leaves_no_trace(host: Driver) {
    let scene = Scene::new(World::new(host));
    let all = json!({
        "publish": true, "critical": true, "intermediate": true, "rollout": 40, "changelog": "- Faster", "cures": ["1.0.0"],
        "guard": { "on_unhealthy": "halt" }, "requires": { "os_version": { "min": "12" } },
    });
    let _ = scene.acme.edit(&scene.draft, all.clone()).expect(200);
    let before = traces(&scene);
    let _ = scene.acme.edit(&scene.draft, all.clone()).expect(200);
    for (name, value) in all.as_object().unwrap() {
        let mut one = Value::Object(serde_json::Map::new());
        one[name] = value.clone();
        let _ = scene.acme.edit(&scene.draft, one).expect(200);
        assert_eq!(traces(&scene), before, "{name}");
    }
    let _ = scene.acme.edit(&scene.draft, json!({ "changelog": "- Slower" })).expect(200);
    assert_eq!(last(&scene.acme), before.2 + 1);
}
